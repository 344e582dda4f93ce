/** What a kubelet says of a pod. Source: kubernetes pkg/kubelet (kubelet_pods.go, status/generate.go). */
import type { DeepReadonly } from "@bowline/api";
import type { Pod } from "@bowline/api/core/v1";
import { rfc3339 } from "@bowline/client";
import type { PodWorker } from "./pod-worker.ts";
import type { EndedRun, SimulatedContainer } from "./simulated-container.ts";

type PodState = DeepReadonly<Pod>;
type Condition = NonNullable<NonNullable<PodState["status"]>["conditions"]>[number];

export interface PodPlace {
  readonly hostIp: string;
  readonly podIp: string;
}

/** The whole status of a pod that runs on a node. */
export function podStatus(worker: PodWorker, place: PodPlace, now: number): object {
  const { pod, end } = worker;
  const isHost = pod.spec?.hostNetwork === true;
  const podIp = isHost ? place.hostIp : place.podIp;
  const hasStarted = worker.all.some((container) => container.hasRun);
  const { qosClass, nominatedNodeName, resourceClaimStatuses } = pod.status ?? {};
  const kept = Object.entries({ qosClass, nominatedNodeName, resourceClaimStatuses }).filter(
    ([, v]) => v !== undefined,
  );
  return {
    ...Object.fromEntries(kept),
    phase: end?.phase ?? phaseOf(worker),
    ...(end?.reason === undefined ? {} : { reason: end.reason, message: end.message }),
    observedGeneration: pod.metadata.generation,
    startTime: pod.status?.startTime ?? rfc3339(worker.startedAt),
    hostIP: place.hostIp,
    hostIPs: [{ ip: place.hostIp }],
    ...(hasStarted || pod.status?.podIP !== undefined ? { podIP: podIp, podIPs: [{ ip: podIp }] } : {}),
    conditions: conditionsOf(worker, now),
    ...statuses("initContainerStatuses", worker.inits, worker, now),
    ...statuses("containerStatuses", worker.mains, worker, now),
    ...statuses("ephemeralContainerStatuses", worker.ephemerals, worker, now),
  };
}

function phaseOf(worker: PodWorker): string {
  if (!worker.areInitsDone) return "Pending";
  return worker.mains.every((container) => !container.hasRun) ? "Pending" : "Running";
}

function statuses(
  field: string,
  containers: readonly SimulatedContainer[],
  worker: PodWorker,
  now: number,
): object {
  return containers.length === 0
    ? {}
    : { [field]: containers.map((container) => containerStatus(container, worker, now)) };
}

function containerStatus(container: SimulatedContainer, worker: PodWorker, now: number): object {
  const { spec, run, last, restartCount } = container;
  const image = spec.image ?? "";
  const id = run?.id ?? last?.id;
  const isReady = container.isReady(now) && (worker.end === undefined || container.role === "init");
  return {
    name: spec.name,
    image,
    imageID: id === undefined ? "" : `bowline://${image}`,
    ...(id === undefined ? {} : { containerID: `bowline://${id}` }),
    ready: isReady,
    started: container.isStarted(now),
    restartCount,
    state: stateOf(container, worker),
    lastState: last === undefined ? {} : { terminated: terminated(last) },
    ...(spec.resources === undefined || Object.keys(spec.resources).length === 0
      ? {}
      : { resources: spec.resources }),
  };
}

function stateOf(container: SimulatedContainer, worker: PodWorker): object {
  const { run, waiting } = container;
  if (run === undefined) {
    const isInitializing =
      container.role === "main" && !worker.areInitsDone && waiting?.reason === "ContainerCreating";
    return { waiting: isInitializing ? { reason: "PodInitializing" } : { ...waiting } };
  }
  const { startedAt, finishedAt, exit, id } = run;
  if (exit === undefined || finishedAt === undefined) return { running: { startedAt: rfc3339(startedAt) } };
  return { terminated: terminated({ id, startedAt, finishedAt, exit }) };
}

function terminated({ id, startedAt, finishedAt, exit }: EndedRun): object {
  const { code, reason, message } = exit;
  return {
    exitCode: code,
    reason,
    ...(message === undefined ? {} : { message }),
    startedAt: rfc3339(startedAt),
    finishedAt: rfc3339(finishedAt),
    containerID: `bowline://${id}`,
  };
}

const ownTypes: ReadonlySet<string> = new Set([
  "PodReadyToStartContainers",
  "Initialized",
  "Ready",
  "ContainersReady",
]);

/** The kubelet's conditions, and those of others as they are. */
function conditionsOf(worker: PodWorker, now: number): object[] {
  const { pod } = worker;
  const before = pod.status?.conditions ?? [];
  const say = (
    type: string,
    problem: readonly [reason: string, message?: string] | undefined,
    isTrue = problem === undefined,
  ): object => {
    const status = isTrue ? "True" : "False";
    const old = before.find((condition) => condition.type === type);
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime : rfc3339(now);
    return {
      type,
      status,
      observedGeneration: pod.metadata.generation,
      lastTransitionTime,
      ...(problem === undefined
        ? {}
        : { reason: problem[0], ...(problem[1] === undefined ? {} : { message: problem[1] }) }),
    };
  };
  const others = before.filter((condition) => !ownTypes.has(condition.type));
  const isFinished = worker.end !== undefined;
  const unready = readinessProblem(worker, now);
  return [
    say(
      "PodReadyToStartContainers",
      undefined,
      !isFinished && worker.all.some((container) => container.hasRun),
    ),
    say("Initialized", initProblem(worker)),
    say("Ready", unready ?? gateProblem(pod)),
    say("ContainersReady", unready),
    ...withScheduled(others, pod, now),
  ];
}

/** A pod with a node is scheduled, whoever gave it the node. */
function withScheduled(others: readonly Condition[], pod: PodState, now: number): readonly object[] {
  if (others.some((condition) => condition.type === "PodScheduled" && condition.status === "True"))
    return others;
  const rest = others.filter((condition) => condition.type !== "PodScheduled");
  const { generation } = pod.metadata;
  return [
    ...rest,
    {
      type: "PodScheduled",
      status: "True",
      observedGeneration: generation,
      lastProbeTime: null,
      lastTransitionTime: rfc3339(now),
    },
  ];
}

function initProblem(worker: PodWorker): readonly [string, string?] | undefined {
  if (worker.end?.phase === "Succeeded" || worker.areInitsDone) return undefined;
  const open = worker.inits.filter((c) => c.exit?.code !== 0 && !c.isRunning);
  const names = open.map((container) => container.spec.name).join(" ");
  return ["ContainersNotInitialized", `containers with incomplete status: [${names}]`];
}

function readinessProblem(worker: PodWorker, now: number): readonly [string, string?] | undefined {
  if (worker.end?.phase === "Succeeded") return ["PodCompleted"];
  if (worker.end?.phase === "Failed") return ["PodFailed"];
  const serving = [...worker.inits.filter((c) => c.role === "sidecar"), ...worker.mains];
  const unready = serving
    .filter((container) => !container.isReady(now))
    .map((container) => container.spec.name);
  return unready.length === 0
    ? undefined
    : ["ContainersNotReady", `containers with unready status: [${unready.join(" ")}]`];
}

function gateProblem(pod: PodState): readonly [string, string?] | undefined {
  const open = (pod.spec?.readinessGates ?? [])
    .map((gate) => gate.conditionType)
    .filter((type) => pod.status?.conditions?.find((c) => c.type === type)?.status !== "True");
  if (open.length === 0) return undefined;
  const texts = open.map(
    (type) => `corresponding condition of pod readiness gate ${JSON.stringify(type)} does not exist.`,
  );
  return ["ReadinessGatesNotReady", texts.join("; ")];
}
