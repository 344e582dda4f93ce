/** kubectl: a working day with it, in the order of its commands. Each part goes on from what the parts before left. */
import type { Step } from "../step.ts";
import { accessSteps } from "./access.ts";
import { applySteps } from "./apply.ts";
import { changeSteps } from "./change.ts";
import { clusterSteps } from "./cluster.ts";
import { createSteps } from "./create.ts";
import { customResourceSteps } from "./custom-resource.ts";
import { deleteSteps } from "./delete.ts";
import { describeSteps } from "./describe.ts";
import { getSteps } from "./get.ts";
import { insideSteps } from "./inside.ts";
import { nodeSteps } from "./node.ts";
import { rolloutSteps } from "./rollout.ts";
import { setSteps } from "./sets.ts";
import { watchSteps } from "./watch.ts";

/** Minor version of a kubectl: 28 or 35. What it prints differs in a few places. */
export type KubectlMinor = 28 | 35;

export function kubectlSteps(minor: KubectlMinor): Step[] {
  return [
    ...clusterSteps(minor),
    ...createSteps(minor),
    ...getSteps(minor),
    ...describeSteps(minor),
    ...applySteps,
    ...changeSteps(minor),
    ...rolloutSteps,
    ...watchSteps(minor),
    ...customResourceSteps(minor),
    ...accessSteps(minor),
    ...setSteps(minor),
    ...insideSteps,
    ...nodeSteps,
    ...deleteSteps(minor),
  ];
}
