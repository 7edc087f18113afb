package main

import (
	"example.com/pulumi-docker-object-store/sdk/go/dockerobjectstore"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		reports, err := dockerobjectstore.NewPolicy(ctx, "reports", &dockerobjectstore.PolicyArgs{
			Store:     dockerobjectstore.StoreReferenceArgs{Name: "object-store-prod"},
			Read:      pulumi.StringArray{pulumi.String("photos")},
			ReadWrite: pulumi.StringArray{pulumi.String("photos/reports/")},
		})
		if err != nil {
			return err
		}
		ctx.Export("policyName", reports.PolicyName)
		return nil
	})
}
