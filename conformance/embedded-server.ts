import { fork } from "node:child_process";
import { HttpClient, type ServerAddress } from "./http-client.ts";

/** A server of this project that lives as long as the replay. */
export interface EmbeddedServer {
  readonly address: ServerAddress;
  close(): Promise<void>;
}

/** Starts the embedded API server in a process of its own, so that the replay does not take its time from it. */
export async function startEmbeddedServer(): Promise<EmbeddedServer> {
  const child = fork(new URL("./embedded-process.js", import.meta.url), {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const gone = new Promise<never>((_resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the embedded server ended with status ${code}`)));
  });
  const ready = new Promise<ServerAddress>((resolve) => {
    child.once("message", (address) => resolve(address as ServerAddress));
  });
  const address = await Promise.race([ready, gone]);
  gone.catch(() => {});
  await createNamespace(address, "other");
  return {
    address,
    async close() {
      if (child.exitCode !== null) return;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.disconnect();
      await ended;
    },
  };
}

/** Cases use two namespaces; every cluster has `default`. */
async function createNamespace(address: ServerAddress, name: string): Promise<void> {
  const client = new HttpClient(address);
  const body = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const answer = await client.send(
    "POST",
    "/api/v1/namespaces",
    { "content-type": "application/json" },
    body,
  );
  client.close();
  if (answer.status !== 201)
    throw new Error(`creating the namespace ${name}: ${answer.status} ${answer.text}`);
}
