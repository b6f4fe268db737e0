// Package testcontainers runs a server of Dynolith in a container, by Testcontainers for Go.
package testcontainers

import (
	"context"
	"fmt"

	tc "github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

// Image is the container of this release.
const Image = "@IMAGE@:@VERSION@"

const port = "8000/tcp"

// Container is a running server.
type Container struct {
	tc.Container
}

// Run starts a server in memory and waits until it answers. More of `dynolith serve`'s options come by tc.WithConfigModifier.
func Run(ctx context.Context, image string, options ...tc.ContainerCustomizer) (*Container, error) {
	request := tc.GenericContainerRequest{
		ContainerRequest: tc.ContainerRequest{
			Image:        image,
			ExposedPorts: []string{port},
			Cmd:          []string{"serve", "--host", "0.0.0.0"},
			WaitingFor:   wait.ForHTTP("/").WithPort(port),
		},
		Started: true,
	}
	for _, option := range options {
		if err := option.Customize(&request); err != nil {
			return nil, fmt.Errorf("dynolith: %w", err)
		}
	}
	container, err := tc.GenericContainer(ctx, request)
	if container == nil {
		return nil, err
	}
	return &Container{container}, err
}

// Endpoint is the server's address for a BaseEndpoint.
func (c *Container) Endpoint(ctx context.Context) (string, error) {
	return c.PortEndpoint(ctx, port, "http")
}
