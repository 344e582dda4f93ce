/**
 * The embedded API server in a process of its own, for measurements: says where it listens, creates objects from inside
 * where asked, and how much memory it has.
 */
import { crdManifest } from "@bowline/api";
import { createCluster } from "@bowline/cluster";
import { Application, applicationObject } from "./application.ts";

const cluster = await createCluster({ controllers: false });
const transport = cluster.transport();
const listening = await cluster.listen();

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
await transport.request({ method: "POST", path: crds, body: crdManifest(Application) });

/** Creates so many Applications, numbered from `offset`. */
async function populate({ count, offset }: { count: number; offset: number }): Promise<void> {
  const path = "/apis/example.com/v1/namespaces/default/applications";
  for (let i = offset; i < offset + count; i++) {
    await transport.request({ method: "POST", path, body: applicationObject(i) });
  }
}

process.on("message", (message: "memory" | { count: number; offset: number }) => {
  if (message === "memory") {
    globalThis.gc?.();
    process.send?.({ rssBytes: process.memoryUsage.rss() });
  } else {
    void populate(message).then(() => process.send?.({ isDone: true }));
  }
});
process.once("disconnect", () => void cluster.close().then(() => process.exit(0)));
process.send?.({ url: listening.url, token: listening.token, ca: listening.certificateAuthority });
