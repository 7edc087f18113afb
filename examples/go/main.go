package main

import (
	"fmt"

	"example.com/pulumi-docker-object-store/sdk/go/dockerobjectstore"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		cfg := config.New(ctx, "")
		store, err := dockerobjectstore.NewObjectStore(ctx, "store", &dockerobjectstore.ObjectStoreArgs{
			StoreName:      pulumi.StringRef(fmt.Sprintf("%s-%s", ctx.Project(), ctx.Stack())),
			Profile:        optional(cfg, "profile"),
			Image:          pulumi.StringPtrFromPtr(optional(cfg, "image")),
			HaproxyImage:   pulumi.StringPtrFromPtr(optional(cfg, "haproxyImage")),
			S3Host:         pulumi.String(cfg.Require("s3Host")),
			ConsoleHost:    pulumi.String(cfg.Require("consoleHost")),
			HttpPort:       pulumi.Int(cfg.RequireInt("httpPort")),
			HttpsPort:      pulumi.Int(cfg.RequireInt("httpsPort")),
			PublishAddress: pulumi.StringRef(cfg.Require("publishAddress")),
		})
		if err != nil {
			return err
		}
		ctx.Export("s3Endpoint", store.S3Endpoint)
		ctx.Export("consoleUrl", store.ConsoleUrl)
		ctx.Export("accessKey", store.AccessKey)
		ctx.Export("secretKey", store.SecretKey)
		ctx.Export("caCertificate", store.CaCertificate)
		ctx.Export("volumeNames", store.VolumeNames)
		return nil
	})
}

// optional returns a value of the stack's config, or nil, for the component's default.
func optional(cfg *config.Config, key string) *string {
	value, err := cfg.Try(key)
	if err != nil {
		return nil
	}
	return &value
}
