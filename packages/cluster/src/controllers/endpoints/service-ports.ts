/** Where a Service's ports lead on a pod. Source: kubernetes pkg/api/v1/pod (FindPort), endpointslice/utils. */
import type { DeepReadonly } from "@bowline/api";
import type { Service } from "@bowline/api/core/v1";
import { type PodState, isPodFinished } from "../pods/pod-state.ts";

export type ServiceState = DeepReadonly<Service>;

/** A port as endpoints show it. */
export interface ResolvedPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
}

/** The ports that the pod serves; named ones that it does not have are left out. */
export function portsOn(service: ServiceState, pod: PodState): ResolvedPort[] {
  return (service.spec?.ports ?? []).flatMap((port) => {
    const { name = "", protocol = "TCP", appProtocol } = port;
    const number = portNumber(port.targetPort ?? port.port, protocol, pod);
    return number === undefined
      ? []
      : [{ name, port: number, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

function portNumber(target: number | string, protocol: string, pod: PodState): number | undefined {
  if (typeof target === "number") return target;
  if (/^\d+$/.test(target)) return Number(target);
  for (const container of pod.spec?.containers ?? []) {
    const found = container.ports?.find(
      (port) => port.name === target && (port.protocol ?? "TCP") === protocol,
    );
    if (found !== undefined) return found.containerPort;
  }
  return undefined;
}

/** Pods that have an address to be reached at. */
export function isReachable(pod: PodState): boolean {
  return (pod.status?.podIP ?? "") !== "" && !isPodFinished(pod);
}
