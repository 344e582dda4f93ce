/**
 * POST of an Eviction: deletes a pod unless a PodDisruptionBudget stands against it.
 * Source: kubernetes pkg/registry/core/pod/storage (eviction.go).
 */
import {
  type DeepReadonly,
  type JsonObject,
  type LabelSelector,
  type StatusError,
  badRequest,
  compileLabelSelector,
  failure,
  forbidden,
  notFound,
} from "@bowline/api";
import type { Pod } from "@bowline/api/core/v1";
import type { PodDisruptionBudget } from "@bowline/api/policy/v1";
import { rfc3339 } from "@bowline/client";
import { deleteObject } from "../../registry/delete-object.ts";
import type { DeleteOptions } from "../../registry/delete-options.ts";
import { type WriteContext, updateObject } from "../../registry/generic-registry.ts";
import type { Resource } from "../../registry/resource.ts";
import type { StoredObject } from "../../store/revision.ts";
import { builtinBody } from "../decode-object.ts";
import { parseDeleteOptions } from "../delete-options.ts";
import type { ServerResponse } from "../request.ts";
import type { VerbContext } from "../verb-context.ts";
import { notSupported } from "../verbs/update.ts";
import { postedObject, successAnswer, withoutAdmission } from "./posted-object.ts";

type PodState = DeepReadonly<Pod>;
type Budget = DeepReadonly<PodDisruptionBudget>;

const evictionBody = builtinBody("policy", "v1", "Eviction");

/** Evictions that a controller has not confirmed yet; more of them than this mean that nobody does. */
const disruptedPodsMax = 2000;

/** How often a write repeats that met another one, as the real server's back-off has it. */
const attemptsMax = 20;

/** Answers `pods/eviction`. @throws StatusError 429 when a budget forbids it, 500 when two budgets are for the pod */
export async function evictPod(context: VerbContext): Promise<ServerResponse> {
  const { info } = context;
  if (info.verb !== "create") throw notSupported(context, info.verb);
  const posted = await postedObject(context, evictionBody);
  const eviction = posted.object;
  if (eviction.metadata.name !== info.name)
    throw badRequest("name in URL does not match name in Eviction object");
  const deletion = deleteOptionsOf(eviction, posted.options.dryRun);
  await posted.validate(eviction);
  await evict(context, { ...posted.write, dryRun: deletion.dryRun }, deletion);
  return successAnswer(posted.form);
}

/** The options of the delete that an Eviction asks for; a dry run may be asked for there or in the query. */
function deleteOptionsOf(eviction: StoredObject, dryRun: boolean): DeleteOptions {
  const { apiVersion: _v, kind: _k, ...given } = (eviction["deleteOptions"] ?? {}) as JsonObject;
  const inBody = (given["dryRun"] ?? []) as readonly string[];
  if (dryRun && inBody.length > 0 && inBody.join() !== "All") {
    const both = `[All] and [${inBody.join(" ")}]`;
    throw failure(500, "", `Non-matching dry-run options in request and content: ${both}`);
  }
  const options = parseDeleteOptions(given, new URLSearchParams());
  return dryRun ? { ...options, dryRun } : options;
}

async function evict(context: VerbContext, write: WriteContext, options: DeleteOptions): Promise<void> {
  const { resource, info } = context;
  const remove = (given: DeleteOptions): Promise<unknown> =>
    deleteObject(resource, withoutAdmission(write), {
      namespace: info.namespace,
      name: info.name,
      options: given,
    });
  const asksForVersion = options.preconditions?.resourceVersion !== undefined;
  const atVersion = (pod: PodState): DeleteOptions => ({
    ...options,
    preconditions: { ...options.preconditions, resourceVersion: pod.metadata.resourceVersion },
  });
  for (let attempt = 1; ; attempt++) {
    const pod = storedPod(context);
    if (isCounted(pod)) break;
    // a pending pod may become ready meanwhile, and then its budget counts
    const guarded = !asksForVersion && pod.status?.phase === "Pending" && !isGoing(pod);
    try {
      await remove(guarded ? atVersion(pod) : options);
      return;
    } catch (error) {
      if (!isConflict(error) || asksForVersion || attempt >= attemptsMax) throw error;
    }
  }
  const pod = storedPod(context);
  const budget = budgetOf(context, pod);
  if (budget === undefined) return void (await remove(options));
  if (!mayIgnore(budget, pod)) {
    await spend(context, write, { budget, pod });
    return void (await remove(options));
  }
  try {
    await remove(asksForVersion ? options : atVersion(pod));
  } catch (error) {
    if (!isConflict(error) || asksForVersion) throw error;
    throw stillProcessed(budget.metadata.name ?? "");
  }
}

function isConflict(error: unknown): boolean {
  return (error as { reason?: string }).reason === "Conflict";
}

function storedPod({ resource, info }: VerbContext): PodState {
  const found = resource.bucket.get(`${info.namespace}/${info.name}`)?.object;
  if (found === undefined) throw notFound({ group: "", resource: "pods" }, info.name);
  return found as unknown as PodState;
}

function isGoing(pod: PodState): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

/** Whether a pod is one that budgets speak of: not one that has ended, has not begun, or is on its way out. */
function isCounted(pod: PodState): boolean {
  const phase = pod.status?.phase ?? "";
  return !isGoing(pod) && phase !== "Succeeded" && phase !== "Failed" && phase !== "Pending";
}

function isReady(pod: PodState): boolean {
  return pod.status?.conditions?.some((c) => c.type === "Ready" && c.status === "True") === true;
}

/** A pod that is not ready takes nothing away from those that are. */
function mayIgnore({ spec, status }: Budget, pod: PodState): boolean {
  if (isReady(pod)) return false;
  if (spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

function budgetOf({ ports, info }: VerbContext, pod: PodState): Budget | undefined {
  const matching = ports.store
    .bucket("policy/poddisruptionbudgets")
    .list(`${info.namespace}/`)
    .map(({ object }) => object as unknown as Budget)
    .filter(({ spec }) => {
      if (spec?.selector === undefined) return false;
      return compileLabelSelector(spec.selector as LabelSelector).matches(pod.metadata.labels);
    });
  if (matching.length > 1) {
    const why =
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    throw failure(500, "", why);
  }
  return matching[0];
}

/** Takes one disruption from a budget. @throws StatusError 429 when there is none */
async function spend(
  { ports, info }: VerbContext,
  write: WriteContext,
  { budget, pod }: { readonly budget: Budget; readonly pod: PodState },
): Promise<void> {
  const budgets = ports.catalog.find("policy", "v1", "poddisruptionbudgets") as Resource;
  const now = rfc3339(ports.clock.now());
  await updateObject(
    budgets,
    { ...write, user: serverUser, manager: "kube-apiserver", options: { kind: "UpdateOptions" } },
    {
      namespace: info.namespace,
      name: budget.metadata.name ?? "",
      subresource: "status",
      strategy: budgets.status ?? budgets.strategy,
      createsMissing: false,
      retriesConflicts: true,
      compute: (current) =>
        Promise.resolve({
          object: disrupted(current as unknown as Budget, pod.metadata.name ?? "", now),
          tracked: false,
        }),
    },
  );
}

const serverUser = { name: "system:apiserver", groups: ["system:masters", "system:authenticated"] };

/** The budget after one more disruption. */
function disrupted(budget: Budget, podName: string, now: string): StoredObject {
  const { status } = budget;
  const name = budget.metadata.name ?? "";
  const { disruptionsAllowed = 0, disruptedPods = {} } = status ?? {};
  const refuse = (why: string): StatusError =>
    forbidden({ group: "policy", resource: "poddisruptionbudget" }, name, why);
  if ((status?.observedGeneration ?? 0) < (budget.metadata.generation ?? 0)) throw stillProcessed(name);
  if (disruptionsAllowed < 0) throw refuse("pdb disruptions allowed is negative");
  if (Object.keys(disruptedPods).length > disruptedPodsMax) {
    throw refuse("DisruptedPods map too big - too many evictions not confirmed by PDB controller");
  }
  if (disruptionsAllowed === 0) throw tooMany(whyNone(budget));
  const conditions = status?.conditions?.map((condition) =>
    condition.type === "DisruptionAllowed" && disruptionsAllowed === 1
      ? { ...condition, status: "False", reason: "InsufficientPods", message: "", lastTransitionTime: now }
      : condition,
  );
  return {
    ...budget,
    status: {
      ...status,
      ...(conditions === undefined ? {} : { conditions }),
      disruptedPods: { ...disruptedPods, [podName]: now },
      disruptionsAllowed: disruptionsAllowed - 1,
    },
  } as unknown as StoredObject;
}

function whyNone({ metadata: { name }, status }: Budget): string {
  const condition = status?.conditions?.find(({ type }) => type === "DisruptionAllowed");
  if (condition?.status === "False" && condition.reason === "SyncFailed") {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${condition.message}`;
  }
  const { desiredHealthy = 0, currentHealthy = 0 } = status ?? {};
  return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
}

/** The budget's controller has not seen its latest state. */
function stillProcessed(budget: string): StatusError {
  return tooMany(`The disruption budget ${budget} is still being processed by the server.`, 10);
}

function tooMany(cause: string, retryAfterSeconds?: number): StatusError {
  return failure(
    429,
    "TooManyRequests",
    "Cannot evict pod as it would violate the pod's disruption budget.",
    {
      causes: [{ reason: "DisruptionBudget", message: cause }],
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    },
  );
}
