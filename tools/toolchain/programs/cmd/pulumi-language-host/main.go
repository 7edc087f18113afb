// A language host that generates SDKs, as the vendor's hosts do, from the generators in Pulumi's own module. It is called
// pulumi-language-python or pulumi-language-go. Programs are run by the last host that a module holds, which lies
// beside it under the same name with "-runner", and generates none.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"
)

type languageHost struct {
	pulumirpc.UnimplementedLanguageRuntimeServer
	language string
	engine   string
}

func main() {
	host := &languageHost{
		language: strings.TrimPrefix(filepath.Base(os.Args[0]), "pulumi-language-"),
		engine:   os.Args[len(os.Args)-1],
	}
	handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{
		Init: func(server *grpc.Server) error {
			pulumirpc.RegisterLanguageRuntimeServer(server, host)
			return nil
		},
	})
	if err == nil {
		fmt.Printf("%d\n", handle.Port)
		err = <-handle.Done
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (host *languageHost) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: "3.68.0"}, nil
}

// Plugins are found when a program asks for them.
func (host *languageHost) GetRequiredPackages(
	context.Context, *pulumirpc.GetRequiredPackagesRequest,
) (*pulumirpc.GetRequiredPackagesResponse, error) {
	return &pulumirpc.GetRequiredPackagesResponse{}, nil
}

func (host *languageHost) Run(ctx context.Context, request *pulumirpc.RunRequest) (*pulumirpc.RunResponse, error) {
	info := request.GetInfo()
	own, err := os.Executable()
	if err != nil {
		return nil, err
	}
	arguments := []string{"-root=" + info.GetRootDirectory()}
	if host.language == "python" {
		arguments = append(arguments, "-virtualenv="+info.GetOptions().GetFields()["virtualenv"].GetStringValue())
	}
	runner := exec.CommandContext(ctx, own+"-runner", append(arguments, host.engine)...)
	runner.Stderr = os.Stderr
	output, err := runner.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := runner.Start(); err != nil {
		return nil, err
	}
	defer func() {
		_ = runner.Process.Kill()
		_ = runner.Wait()
	}()
	reader := bufio.NewReader(output)
	port, err := reader.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("%s-runner gave no port: %w", own, err)
	}
	// What a Go program prints.
	go func() { _, _ = io.Copy(os.Stdout, reader) }()
	connection, err := grpc.NewClient(
		"127.0.0.1:"+strings.TrimSpace(port),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		rpcutil.GrpcChannelOptions(),
	)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	return pulumirpc.NewLanguageRuntimeClient(connection).Run(ctx, request)
}

func (host *languageHost) GeneratePackage(
	_ context.Context, request *pulumirpc.GeneratePackageRequest,
) (*pulumirpc.GeneratePackageResponse, error) {
	var spec schema.PackageSpec
	if err := json.Unmarshal([]byte(request.Schema), &spec); err != nil {
		return nil, err
	}
	loader, err := schema.NewLoaderClient(request.LoaderTarget)
	if err != nil {
		return nil, err
	}
	defer loader.Close()
	bound, problems, err := schema.BindSpec(spec, loader, schema.ValidationOptions{AllowDanglingReferences: true})
	if err != nil {
		return nil, err
	}
	if problems.HasErrors() {
		return nil, problems
	}
	files, err := host.generate(bound, request, schema.NewCachedLoader(loader))
	if err != nil {
		return nil, err
	}
	for name, content := range files {
		path := filepath.Join(request.Directory, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return nil, err
		}
	}
	return &pulumirpc.GeneratePackageResponse{}, nil
}

func (host *languageHost) generate(
	bound *schema.Package, request *pulumirpc.GeneratePackageRequest, loader schema.ReferenceLoader,
) (map[string][]byte, error) {
	switch host.language {
	case "python":
		return python.GeneratePackage("pulumi-language-python", bound, request.ExtraFiles, loader)
	case "go":
		return golang.GeneratePackage("pulumi-language-go", bound, request.LocalDependencies)
	default:
		return nil, fmt.Errorf("there is no generator for %s", host.language)
	}
}
