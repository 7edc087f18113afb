// Package info maps the resources of upstream Terraform providers to the tokens of the Pulumi packages.
package info

import (
	tshim "github.com/hashicorp/terraform-provider-tls/shim"
	pf "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/pf/tfbridge"
	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge"
	tks "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge/tokens"
	shimv2 "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfshim/sdk-v2"
	dshim "github.com/terraform-providers/terraform-provider-docker/shim"
	rshim "github.com/terraform-providers/terraform-provider-random/shim"
)

// Versions of the Pulumi packages, set by the linker: those that package.json pins.
var (
	DockerVersion string
	RandomVersion string
	TLSVersion    string
)

// Random maps the provider random. The bridge takes the metadata that it has generated, or writes to it while it generates.
func Random(metadata []byte) tfbridge.ProviderInfo {
	p := tfbridge.ProviderInfo{
		P: pf.ShimProvider(rshim.New()), Name: "random", Version: RandomVersion,
		GitHubOrg: "hashicorp", MetadataInfo: tfbridge.NewProviderMetadata(metadata),
		Resources: map[string]*tfbridge.ResourceInfo{
			"random_id":       {Tok: tfbridge.MakeResource("random", "index", "RandomId")},
			"random_password": {Tok: tfbridge.MakeResource("random", "index", "RandomPassword")},
			"random_string":   {Tok: tfbridge.MakeResource("random", "index", "RandomString")},
			"random_pet":      {Tok: tfbridge.MakeResource("random", "index", "RandomPet")},
			"random_uuid":     {Tok: tfbridge.MakeResource("random", "index", "RandomUuid")},
			"random_integer":  {Tok: tfbridge.MakeResource("random", "index", "RandomInteger")},
			"random_shuffle":  {Tok: tfbridge.MakeResource("random", "index", "RandomShuffle")},
			"random_bytes":    {Tok: tfbridge.MakeResource("random", "index", "RandomBytes")},
		},
		IgnoreMappings: []string{"random_uuid4", "random_uuid7"},
	}
	return p
}

// TLS maps the provider tls.
func TLS(metadata []byte) tfbridge.ProviderInfo {
	p := tfbridge.ProviderInfo{
		P: pf.ShimProvider(tshim.New()), Name: "tls", Version: TLSVersion,
		GitHubOrg: "hashicorp", MetadataInfo: tfbridge.NewProviderMetadata(metadata),
	}
	p.MustComputeTokens(tks.SingleModule("tls_", "index", tks.MakeStandard("tls")))
	return p
}

// Docker maps the provider docker.
func Docker(metadata []byte) tfbridge.ProviderInfo {
	p := tfbridge.ProviderInfo{
		P: shimv2.NewProvider(dshim.New(DockerVersion)), Name: "docker", Version: DockerVersion,
		GitHubOrg: "kreuzwerker", MetadataInfo: tfbridge.NewProviderMetadata(metadata),
		Config: map[string]*tfbridge.SchemaInfo{
			"host":          {Default: &tfbridge.DefaultInfo{EnvVars: []string{"DOCKER_HOST"}, Value: "unix:///var/run/docker.sock"}},
			"registry_auth": {Name: "registryAuth", MaxItemsOne: tfbridge.False()},
		},
		Resources: map[string]*tfbridge.ResourceInfo{
			"docker_config": {Tok: tfbridge.MakeResource("docker", "index", "ServiceConfig")},
			"docker_container": {Tok: tfbridge.MakeResource("docker", "index", "Container"), Fields: map[string]*tfbridge.SchemaInfo{
				"command": {Name: "command"}, "networks_advanced": {Name: "networksAdvanced"},
			}},
			"docker_image": {Tok: tfbridge.MakeResource("docker", "index", "RemoteImage"), Fields: map[string]*tfbridge.SchemaInfo{"name": {Name: "name"}}},
		},
		DataSources: map[string]*tfbridge.DataSourceInfo{
			"docker_image": {Tok: tfbridge.MakeDataSource("docker", "index", "getRemoteImage")},
		},
	}
	p.MustComputeTokens(tks.SingleModule("docker_", "index", tks.MakeStandard("docker")))
	p.SetAutonaming(255, "-")
	return p
}
