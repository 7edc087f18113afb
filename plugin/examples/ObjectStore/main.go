package main

import (
	"example.com/pulumi-docker-object-store/sdk/go/dockerobjectstore"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		store, err := dockerobjectstore.NewObjectStore(ctx, "store", &dockerobjectstore.ObjectStoreArgs{
			S3Host:      pulumi.String("s3.example.com"),
			ConsoleHost: pulumi.String("console.example.com"),
			NodeCount:   pulumi.IntRef(4),
			DrivePaths: [][]string{
				{"/mnt/disk1/object-store"},
				{"/mnt/disk2/object-store"},
				{"/mnt/disk3/object-store"},
				{"/mnt/disk4/object-store"},
			},
		})
		if err != nil {
			return err
		}
		ctx.Export("s3Endpoint", store.S3Endpoint)
		ctx.Export("accessKey", store.AccessKey)
		ctx.Export("secretKey", store.SecretKey)
		return nil
	})
}
