"""Runs the programs at the given paths with Pulumi's mocks. A class or an arg that isn't there fails."""

import runpy
import sys

import pulumi


class Mocks(pulumi.runtime.Mocks):
    """Accepts each resource as it is."""

    def new_resource(self, args):
        return [f"{args.name}-id", args.inputs]

    def call(self, args):
        return {}


@pulumi.runtime.test
def run(path):
    runpy.run_path(path)


for program in sys.argv[1:]:
    pulumi.runtime.set_mocks(Mocks(), project="project", stack="dev", preview=False)
    run(program)
