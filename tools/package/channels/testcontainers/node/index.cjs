'use strict';
// Testcontainers for Node.js: a server of Dynolith in a container.
//
//   const dynolith = await new DynolithContainer().start();
//   const client = new DynamoDBClient(dynolith.clientConfig());
const {AbstractStartedContainer, GenericContainer, Wait} = require('testcontainers');

const IMAGE = '@IMAGE@:@VERSION@';
const PORT = 8000;

class StartedDynolithContainer extends AbstractStartedContainer {
  /** http://HOST:PORT of the server. */
  endpoint() {
    return `http://${this.getHost()}:${this.getMappedPort(PORT)}`;
  }

  /** What the constructor of a client of the SDK v3 takes. */
  clientConfig() {
    return {endpoint: this.endpoint(), region: 'us-east-1', credentials: {accessKeyId: 'local', secretAccessKey: 'local'}};
  }
}

class DynolithContainer extends GenericContainer {
  /** In memory. `options`: more of `dynolith serve`'s. */
  constructor(image = IMAGE, options = []) {
    super(image);
    this.withExposedPorts(PORT).withCommand(['serve', '--host', '0.0.0.0', ...options]).withWaitStrategy(Wait.forHttp('/', PORT));
  }

  async start() {
    return new StartedDynolithContainer(await super.start());
  }
}

module.exports = {DynolithContainer, StartedDynolithContainer};
