// Command schema writes the schema and the bridge metadata of one plugin: schema NAME --out FOLDER.
package main

import (
	"os"

	pftfgen "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/pf/tfgen"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfgen"

	"plugins/info"
)

func main() {
	name := os.Args[1]
	os.Args = append([]string{os.Args[0], "schema"}, os.Args[2:]...)
	switch name {
	case "docker":
		tfgen.Main(name, info.DockerVersion, info.Docker())
	case "random":
		pftfgen.Main(name, info.Random())
	case "tls":
		pftfgen.Main(name, info.TLS())
	}
}
