// A unit test that asks a Docker engine fails on every machine, not just where there is none.
process.env.DOCKER_HOST = "unix:///unit-tests/have/no/engine.sock";
