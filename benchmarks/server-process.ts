/** The embedded API server in a process of its own, for measurements: says where it listens, and how much memory it has. */
import { createCluster } from "@bowline/cluster";

const cluster = await createCluster({ controllers: false });
const listening = await cluster.listen();
process.on("message", () => {
  globalThis.gc?.();
  process.send?.({ rssBytes: process.memoryUsage.rss() });
});
process.once("disconnect", () => void cluster.close().then(() => process.exit(0)));
process.send?.({ url: listening.url, token: listening.token, ca: listening.certificateAuthority });
