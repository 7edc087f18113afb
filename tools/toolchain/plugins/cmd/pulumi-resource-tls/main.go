package main

import (
	"context"
	_ "embed"

	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/pf/tfbridge"
	"plugins/info"
)

//go:embed schema.json
var schema []byte

func main() {
	tfbridge.Main(context.Background(), "tls", info.TLS(), tfbridge.ProviderMetadata{PackageSchema: schema})
}
