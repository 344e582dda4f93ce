/**
 * The embedded API server as a process: says its address to the parent, and ends with it. Without controllers, like the server
 * that the answers were recorded from: nothing collects what has a made-up owner.
 */
import { createCluster } from "@bowline/cluster";

const cluster = await createCluster({ controllers: false });
const { url, token } = await cluster.listen({ plainHttp: true });
process.once("disconnect", () => void cluster.close().then(() => process.exit(0)));
process.send?.({ url, token });
