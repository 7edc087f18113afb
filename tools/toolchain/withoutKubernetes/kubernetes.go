// Package kubernetes takes the place of buildx's driver for builders in Kubernetes, which no program here uses: with its
// libraries it would be a sixth of the plugins' build.
package kubernetes
