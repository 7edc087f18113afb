package main

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/encoding/protowire"
)

// Numbers of the fields that newer engines send: RunPluginRequest.info and ProgramInfo.program_directory.
const (
	infoField             = 5
	programDirectoryField = 2
)

// RunPlugin runs the component package in a folder: what newer hosts do for `runtime: nodejs` in PulumiPlugin.yaml.
func (host *nodeLanguageHost) RunPlugin(
	req *pulumirpc.RunPluginRequest, server pulumirpc.LanguageRuntime_RunPluginServer,
) error {
	info, err := bytesField(req.ProtoReflect().GetUnknown(), infoField)
	if err != nil {
		return err
	}
	folder, err := bytesField(info, programDirectoryField)
	if err != nil {
		return err
	}
	find := exec.CommandContext(server.Context(), "node", "-p", "require.resolve('@pulumi/pulumi/cmd/run-plugin')")
	find.Dir = string(folder)
	runner, err := find.Output()
	if err != nil {
		return fmt.Errorf("@pulumi/pulumi is not installed in %s: %w", folder, err)
	}

	closer, stdout, stderr, err := rpcutil.MakeRunPluginStreams(server, false)
	if err != nil {
		return err
	}
	defer closer.Close()
	args := append([]string{strings.TrimSpace(string(runner)), string(folder)}, req.Args...)
	plugin := exec.CommandContext(server.Context(), "node", args...)
	plugin.Dir = req.Pwd
	plugin.Env = req.Env
	plugin.Stdout, plugin.Stderr = stdout, stderr
	err = plugin.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return server.Send(&pulumirpc.RunPluginResponse{
			Output: &pulumirpc.RunPluginResponse_Exitcode{Exitcode: int32(exit.ExitCode())},
		})
	}
	if err != nil {
		return err
	}
	return closer.Close()
}

// bytesField finds a field of a message that this version of the protocol doesn't know.
func bytesField(message []byte, wanted protowire.Number) ([]byte, error) {
	for len(message) > 0 {
		number, kind, length := protowire.ConsumeTag(message)
		if length < 0 {
			return nil, protowire.ParseError(length)
		}
		message = message[length:]
		if number == wanted && kind == protowire.BytesType {
			value, size := protowire.ConsumeBytes(message)
			return value, protowire.ParseError(size)
		}
		length = protowire.ConsumeFieldValue(number, kind, message)
		if length < 0 {
			return nil, protowire.ParseError(length)
		}
		message = message[length:]
	}
	return nil, fmt.Errorf("field %d is missing in what the engine asks", wanted)
}
