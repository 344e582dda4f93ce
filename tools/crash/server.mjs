/** A cluster on a data folder in a process that will be killed: prints where it listens. */
import { createCluster } from "../../packages/cluster/dist/index.js";

const [, , data, workloads] = process.argv;
const cluster = await createCluster({ data, controllers: workloads !== undefined, nodes: 2 });
const listening = await cluster.listen({ plainHttp: true });
process.stdout.write(`${JSON.stringify({ url: listening.url, token: listening.token })}\n`);
