// With this, a unit test that connects to a Docker engine fails on every machine, not only on those without one.
process.env.DOCKER_HOST = "unix:///unit-tests/have/no/engine.sock";
