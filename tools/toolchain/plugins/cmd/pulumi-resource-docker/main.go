package main

import (
	_ "embed"

	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge"
	"plugins/info"
)

//go:embed schema.json
var schema []byte

func main() { tfbridge.Main("docker", info.DockerVersion, info.Docker(), schema) }
