package main

import (
	"example.com/pulumi-docker-object-store/sdk/go/dockerobjectstore"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		cluster, err := dockerobjectstore.NewStorageCluster(ctx, "cluster", &dockerobjectstore.StorageClusterArgs{
			ClusterName: pulumi.StringRef("archive"),
		})
		if err != nil {
			return err
		}
		frontEnd, err := dockerobjectstore.NewHaproxyFrontEnd(ctx, "front-end", &dockerobjectstore.HaproxyFrontEndArgs{
			FrontEndName: pulumi.StringRef("archive"),
			Cluster:      cluster.Endpoints.ToClusterEndpointsPtrOutput(),
			S3Host:       pulumi.String("s3.example.com"),
			ConsoleHost:  pulumi.String("console.example.com"),
		})
		if err != nil {
			return err
		}
		ctx.Export("s3Endpoint", frontEnd.S3Endpoint)
		ctx.Export("consoleUrl", frontEnd.ConsoleUrl)
		return nil
	})
}
