/** The embedded API server as a process: says its address to the parent, and ends with it. */
import { createCluster } from "@bowline/cluster";

const cluster = await createCluster();
const { url, token } = await cluster.listen({ plainHttp: true });
process.once("disconnect", () => void cluster.close().then(() => process.exit(0)));
process.send?.({ url, token });
