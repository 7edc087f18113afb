package main

import (
	"example.com/pulumi-docker-object-store/sdk/go/dockerobjectstore"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		photos, err := dockerobjectstore.NewBucket(ctx, "photos", &dockerobjectstore.BucketArgs{
			Store:      dockerobjectstore.StoreReferenceArgs{Name: "object-store-prod"},
			BucketName: pulumi.String("photos"),
			Versioning: pulumi.Bool(true),
			Lifecycle: dockerobjectstore.BucketLifecycleRuleArray{
				dockerobjectstore.BucketLifecycleRuleArgs{
					Id:         "temporary",
					Prefix:     pulumi.StringRef("tmp/"),
					ExpireDays: pulumi.IntRef(7),
				},
			},
		})
		if err != nil {
			return err
		}
		ctx.Export("bucketName", photos.BucketName)
		return nil
	})
}
