package main

import (
	"example.com/pulumi-docker-object-store/sdk/go/dockerobjectstore"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		app, err := dockerobjectstore.NewAccessKey(ctx, "app", &dockerobjectstore.AccessKeyArgs{
			Store:    dockerobjectstore.StoreReferenceArgs{Name: "object-store-prod"},
			Policies: pulumi.StringArray{pulumi.String("readonly")},
		})
		if err != nil {
			return err
		}
		ctx.Export("accessKey", app.AccessKey)
		ctx.Export("secretKey", app.SecretKey)
		return nil
	})
}
