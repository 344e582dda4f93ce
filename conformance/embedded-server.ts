import type { ServerAddress } from "./http-client.ts";

/** A server of this project that lives as long as the replay. */
export interface EmbeddedServer {
  readonly address: ServerAddress;
  close(): Promise<void>;
}

/** Starts the embedded API server. */
export async function startEmbeddedServer(): Promise<EmbeddedServer> {
  throw new Error("the embedded server cannot be started yet: give --server URL");
}
