"""Testcontainers for Python: a server of Dynolith in a container.

    with DynolithContainer() as dynolith:
        client = dynolith.client()          # boto3's
"""

from testcontainers.core.container import DockerContainer
from testcontainers.core.waiting_utils import wait_for_logs

IMAGE = "@IMAGE@:@VERSION@"
PORT = 8000


class DynolithContainer(DockerContainer):
    """In memory, with the admin endpoint open to whoever reaches the published port. `options`: more of `dynolith serve`'s."""

    def __init__(self, image: str = IMAGE, options: tuple[str, ...] = (), **kwargs):
        super().__init__(image, **kwargs)
        self.with_exposed_ports(PORT)
        self.with_command(["serve", "--host", "0.0.0.0", *options])

    def start(self) -> "DynolithContainer":
        super().start()
        wait_for_logs(self, "http://", timeout=30)
        return self

    def endpoint(self) -> str:
        return f"http://{self.get_container_host_ip()}:{self.get_exposed_port(PORT)}"

    def client(self, service: str = "dynamodb", **kwargs):
        """boto3's client of `service`: dynamodb or dynamodbstreams."""
        import boto3  # pylint: disable=import-outside-toplevel
        settings = {"endpoint_url": self.endpoint(), "region_name": "us-east-1", "aws_access_key_id": "local",
                    "aws_secret_access_key": "local"}
        return boto3.client(service, **{**settings, **kwargs})
