package main

import (
	"example.com/pulumi-docker-object-store/sdk/go/dockerobjectstore"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		node, err := dockerobjectstore.NewStorageNode(ctx, "node1", &dockerobjectstore.StorageNodeArgs{
			Profile: dockerobjectstore.ServiceProfileArgs{
				Name:    "service",
				User:    "10001:10001",
				Command: []string{"service"},
				Variables: dockerobjectstore.ServiceVariablesArgs{
					AccessKey:      "SERVICE_ACCESS_KEY",
					SecretKey:      "SERVICE_SECRET_KEY",
					Volumes:        "SERVICE_VOLUMES",
					Address:        "SERVICE_ADDRESS",
					ConsoleAddress: "SERVICE_CONSOLE_ADDRESS",
					ConsoleEnable:  pulumi.StringRef("SERVICE_CONSOLE_ENABLE"),
				},
				Environment:            map[string]string{},
				S3HealthPath:           "/health/ready",
				ConsoleHealthPath:      "/console/health",
				FormatFile:             ".service.sys/format.json",
				AlikeOnAllNodes:        dockerobjectstore.AlikeOnAllNodesArgs{Variables: []string{"SERVICE_VOLUMES"}},
				RestrictedPaths:        dockerobjectstore.RestrictedPathsArgs{Admin: []string{"/service/admin/*"}},
				MinimumAccessKeyLength: 3,
				MinimumSecretKeyLength: 8,
				MinimumDrivesPerSet:    2,
				MaximumDrivesPerSet:    16,
			},
			Image:       pulumi.String("registry.example.com/store:1.0.0"),
			ClusterName: "archive",
			NetworkName: pulumi.String("archive-nodes"),
			Place: dockerobjectstore.NodePlaceArgs{
				Name:       "archive-node1",
				ServerName: "node1",
				Address:    "10.30.0.11",
				Drives: []dockerobjectstore.DrivePlaceArgs{
					{VolumeName: "archive-node1-drive1", MountPath: "/data/drive1", Labels: map[string]string{}},
				},
			},
			Environment:       map[string]pulumi.StringInput{"SERVICE_VOLUMES": pulumi.String("/data/drive1")},
			SecretEnvironment: map[string]pulumi.StringInput{},
		})
		if err != nil {
			return err
		}
		ctx.Export("nodeName", node.NodeName)
		ctx.Export("volumeNames", node.VolumeNames)
		return nil
	})
}
