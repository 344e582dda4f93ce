// A cluster per test
export { startCluster } from "./start-cluster.ts";
export type { RunOptions, StartClusterOptions, TestCluster } from "./start-cluster.ts";
export { waitFor } from "./wait-for.ts";
export type { WaitForOptions } from "./wait-for.ts";
