import {AbstractStartedContainer, GenericContainer} from 'testcontainers';

export declare class StartedDynolithContainer extends AbstractStartedContainer {
  /** http://HOST:PORT of the server. */
  endpoint(): string;
  /** What the constructor of a client of the SDK v3 takes. */
  clientConfig(): {endpoint: string, region: string, credentials: {accessKeyId: string, secretAccessKey: string}};
}

export declare class DynolithContainer extends GenericContainer {
  /** In memory. `options`: more of `dynolith serve`'s. */
  constructor(image?: string, options?: string[]);
  start(): Promise<StartedDynolithContainer>;
}
