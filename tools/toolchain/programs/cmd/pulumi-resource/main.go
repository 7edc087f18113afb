// Command pulumi-resource is the plugins docker, random and tls in one program, which the name of its file chooses between:
// pulumi-resource-NAME. The three share nearly all of their packages, so one program is built in a third of the time.
//
// The plugin's schema and the bridge's metadata are files beside it, which `pulumi-resource schema NAME --out FOLDER` writes.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	pf "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/pf/tfbridge"
	pftfgen "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/pf/tfgen"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfgen"

	"programs/info"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == "schema" {
		name := os.Args[2]
		os.Args = append([]string{os.Args[0], "schema"}, os.Args[3:]...)
		writeSchema(name)
		return
	}
	serve(strings.TrimPrefix(filepath.Base(os.Args[0]), "pulumi-resource-"))
}

// serve runs a plugin, with the files beside this program.
func serve(name string) {
	schema, metadata := readBeside("schema.json"), readBeside("bridge-metadata.json")
	switch name {
	case "docker":
		tfbridge.Main(name, info.DockerVersion, info.Docker(metadata), schema)
	case "random":
		pf.Main(context.Background(), name, info.Random(metadata), pf.ProviderMetadata{PackageSchema: schema})
	case "tls":
		pf.Main(context.Background(), name, info.TLS(metadata), pf.ProviderMetadata{PackageSchema: schema})
	default:
		fail(fmt.Errorf("%s is the name of no plugin: docker, random or tls", name))
	}
}

func writeSchema(name string) {
	none := []byte("{}")
	switch name {
	case "docker":
		tfgen.Main(name, info.DockerVersion, info.Docker(none))
	case "random":
		pftfgen.Main(name, info.Random(none))
	case "tls":
		pftfgen.Main(name, info.TLS(none))
	default:
		fail(fmt.Errorf("there is no schema of %s: docker, random or tls", name))
	}
}

func readBeside(file string) []byte {
	own, err := os.Executable()
	if err != nil {
		fail(err)
	}
	content, err := os.ReadFile(filepath.Join(filepath.Dir(own), file))
	if err != nil {
		fail(err)
	}
	return content
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
