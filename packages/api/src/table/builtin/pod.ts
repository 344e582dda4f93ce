import type { Container, ContainerState, ContainerStatus, Pod } from "../../builtin/core/v1.ts";
import type { DeepReadonly, Json } from "../../object/object.ts";
import { ageColumn, column, nameColumn, printerOf, wideColumn } from "../column.ts";
import { ageSince, timestampMs } from "../human-duration.ts";
import type { TablePrinter, TableRowCondition } from "../table.ts";
import { orElse } from "./text.ts";

/** Source of what a pod's row says: kubernetes pkg/printers/internalversion (printPod). */
export const podPrinter: TablePrinter = printerOf<Pod>(
  [
    nameColumn,
    column("Ready", "string", "How many of the pod's containers are ready."),
    column("Status", "string", "What the containers of the pod are doing, in one word."),
    column("Restarts", "string", "How often containers were restarted, and when last."),
    ageColumn,
    wideColumn("IP", "string", "The pod's address."),
    wideColumn("Node", "string", "The node that the pod runs on."),
    wideColumn("Nominated Node", "string", "The node that is being cleared for the pod."),
    wideColumn("Readiness Gates", "string", "How many of the conditions that readiness waits for are true."),
  ],
  podCells,
  finishedConditions,
);

type ReadonlyPod = DeepReadonly<Pod>;
type Statuses = readonly DeepReadonly<ContainerStatus>[];
type State = DeepReadonly<ContainerState>;

function podCells(pod: ReadonlyPod, nowMs: number): Json[] {
  const summary = summarize(pod);
  const { restarts, lastRestart } = summary;
  const when = lastRestart === undefined ? undefined : ageSince(lastRestart, nowMs);
  return [
    pod.metadata.name ?? "",
    `${summary.ready}/${summary.total}`,
    statusOf(pod, summary.reason),
    restarts !== 0 && when !== undefined ? `${restarts} (${when} ago)` : String(restarts),
    ageSince(pod.metadata.creationTimestamp, nowMs),
    orElse(pod.status?.podIPs?.[0]?.ip, "<none>"),
    orElse(pod.spec?.nodeName, "<none>"),
    orElse(pod.status?.nominatedNodeName, "<none>"),
    readinessGates(pod),
  ];
}

interface PodSummary {
  reason: string;
  ready: number;
  total: number;
  restarts: number;
  /** When the last container that was restarted had ended. */
  lastRestart: string | undefined;
}

function summarize(pod: ReadonlyPod): PodSummary {
  const status = pod.status ?? {};
  const gated = status.conditions?.some((c) => c.type === "PodScheduled" && c.reason === "SchedulingGated");
  const phase = orElse(status.reason, status.phase ?? "");
  const init = summarizeInit(pod);
  const base: PodSummary = {
    reason: init.reason ?? (gated === true ? "SchedulingGated" : phase),
    ready: init.ready,
    total: (pod.spec?.containers.length ?? 0) + init.sidecars,
    restarts: init.restarts,
    lastRestart: init.lastRestart,
  };
  const initialized = status.conditions?.find((c) => c.type === "Initialized")?.status === "True";
  if (init.reason !== undefined && !initialized) return base;
  return summarizeContainers(pod, {
    ...base,
    restarts: init.sidecarRestarts,
    lastRestart: init.lastSidecarRestart,
  });
}

interface InitSummary {
  /** Set while a container that must finish first has not. */
  reason: string | undefined;
  ready: number;
  /** Init containers that keep running beside the others. */
  sidecars: number;
  restarts: number;
  lastRestart: string | undefined;
  sidecarRestarts: number;
  lastSidecarRestart: string | undefined;
}

function summarizeInit(pod: ReadonlyPod): InitSummary {
  const containers = pod.spec?.initContainers ?? [];
  const sidecars = new Set(containers.filter(isSidecar).map((container) => container.name));
  const out: InitSummary = {
    reason: undefined,
    ready: 0,
    sidecars: sidecars.size,
    restarts: 0,
    lastRestart: undefined,
    sidecarRestarts: 0,
    lastSidecarRestart: undefined,
  };
  for (const [index, status] of (pod.status?.initContainerStatuses ?? []).entries()) {
    const sidecar = sidecars.has(status.name);
    const ended = status.lastState?.terminated?.finishedAt;
    out.restarts += status.restartCount;
    out.lastRestart = later(out.lastRestart, ended);
    if (sidecar) {
      out.sidecarRestarts += status.restartCount;
      out.lastSidecarRestart = later(out.lastSidecarRestart, ended);
    }
    if (status.state?.terminated?.exitCode === 0) continue;
    if (sidecar && status.started === true) {
      if (status.ready) out.ready++;
      continue;
    }
    out.reason = initReason(status.state ?? {}, index, containers.length);
    break;
  }
  return out;
}

function isSidecar(container: DeepReadonly<Container>): boolean {
  return container.restartPolicy === "Always";
}

function initReason(state: State, index: number, count: number): string {
  if (state.terminated !== undefined) return `Init:${terminationReason(state.terminated)}`;
  const waiting = state.waiting?.reason;
  if (waiting !== undefined && waiting !== "" && waiting !== "PodInitializing") return `Init:${waiting}`;
  return `Init:${index}/${count}`;
}

function terminationReason(terminated: NonNullable<State["terminated"]>): string {
  if (terminated.reason !== undefined && terminated.reason !== "") return terminated.reason;
  const signal = terminated.signal ?? 0;
  return signal !== 0 ? `Signal:${signal}` : `ExitCode:${terminated.exitCode}`;
}

/** The first container that has something to say gives the reason, so the list is read from its end. */
function summarizeContainers(pod: ReadonlyPod, from: PodSummary): PodSummary {
  const out = { ...from };
  const statuses: Statuses = pod.status?.containerStatuses ?? [];
  let running = false;
  for (const status of [...statuses].reverse()) {
    out.restarts += status.restartCount;
    out.lastRestart = later(out.lastRestart, status.lastState?.terminated?.finishedAt);
    const { waiting, terminated, running: runs } = status.state ?? {};
    if (waiting?.reason !== undefined && waiting.reason !== "") {
      out.reason = waiting.reason;
    } else if (terminated !== undefined) {
      out.reason = terminationReason(terminated);
    } else if (status.ready && runs !== undefined) {
      running = true;
      out.ready++;
    }
  }
  if (out.reason === "Completed" && running) {
    const ready = pod.status?.conditions?.some((c) => c.type === "Ready" && c.status === "True");
    out.reason = ready === true ? "Running" : "NotReady";
  }
  return out;
}

function statusOf(pod: ReadonlyPod, reason: string): string {
  if (pod.metadata.deletionTimestamp === undefined) return reason;
  if (pod.status?.reason === "NodeLost") return "Unknown";
  const phase = pod.status?.phase;
  return phase === "Succeeded" || phase === "Failed" ? reason : "Terminating";
}

function later(a: string | undefined, b: string | undefined): string | undefined {
  const [left, right] = [timestampMs(a), timestampMs(b)];
  if (right === undefined) return a;
  return left === undefined || left < right ? b : a;
}

function readinessGates(pod: ReadonlyPod): string {
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  const holds = (type: string): boolean =>
    pod.status?.conditions?.find((c) => c.type === type)?.status === "True";
  return `${gates.filter((gate) => holds(gate.conditionType)).length}/${gates.length}`;
}

const succeeded: readonly TableRowCondition[] = [
  { type: "Completed", status: "True", reason: "Succeeded", message: "The pod has completed successfully." },
];
const failed: readonly TableRowCondition[] = [
  { type: "Completed", status: "True", reason: "Failed", message: "The pod failed." },
];

function finishedConditions(pod: ReadonlyPod): readonly TableRowCondition[] | undefined {
  if (pod.status?.phase === "Succeeded") return succeeded;
  return pod.status?.phase === "Failed" ? failed : undefined;
}
