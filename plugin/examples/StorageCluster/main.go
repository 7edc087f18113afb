package main

import (
	"example.com/pulumi-docker-object-store/sdk/go/dockerobjectstore"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		cluster, err := dockerobjectstore.NewStorageCluster(ctx, "cluster", &dockerobjectstore.StorageClusterArgs{
			ClusterName: pulumi.StringRef("archive"),
			Profile:     pulumi.StringRef("minio"),
			Pools: []dockerobjectstore.PoolArgs{
				{NodeCount: 4, DrivesPerNode: pulumi.IntRef(2)},
			},
			AllowDrivesOnOneDevice: pulumi.BoolRef(true),
		})
		if err != nil {
			return err
		}
		ctx.Export("nodeNames", cluster.NodeNames)
		ctx.Export("volumeNames", cluster.VolumeNames)
		return nil
	})
}
