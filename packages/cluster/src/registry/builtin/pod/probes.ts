/** Probes and lifecycle hooks. Source: kubernetes pkg/apis/core/validation (validateProbe, validateHandler). */
import type { DeepReadonly } from "@bowline/api";
import type { HTTPGetAction, Lifecycle, LifecycleHandler, Probe } from "@bowline/api/core/v1";
import {
  checkNonNegative,
  checkOneOf,
  checkPortNumber,
  checkPortNumberOrName,
  httpHeaderNameErrors,
} from "../field-checks.ts";
import type { FieldProblems } from "../field-problems.ts";

export type ProbeKind = "livenessProbe" | "readinessProbe" | "startupProbe";

type Handler = DeepReadonly<Pick<Probe, "exec" | "httpGet" | "tcpSocket" | "grpc">> &
  DeepReadonly<Pick<LifecycleHandler, "sleep">>;

/** @param graceSeconds terminationGracePeriodSeconds of the pod */
export function checkProbe(
  problems: FieldProblems,
  path: string,
  probe: DeepReadonly<Probe>,
  options: { readonly kind: ProbeKind; readonly graceSeconds: number | undefined },
): void {
  checkHandler(problems, path, probe, options.graceSeconds);
  for (const field of [
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
  ] as const) {
    checkNonNegative(problems, `${path}.${field}`, probe[field]);
  }
  const grace = probe.terminationGracePeriodSeconds as number | undefined;
  if (grace !== undefined && grace <= 0)
    problems.invalid(`${path}.terminationGracePeriodSeconds`, grace, "must be greater than 0");
  if (options.kind === "readinessProbe") {
    if (grace !== undefined) {
      problems.invalid(`${path}.terminationGracePeriodSeconds`, grace, "must not be set for readinessProbes");
    }
  } else if (probe.successThreshold !== 1)
    problems.invalid(`${path}.successThreshold`, probe.successThreshold ?? 0, "must be 1");
}

export function checkLifecycle(
  problems: FieldProblems,
  path: string,
  lifecycle: DeepReadonly<Lifecycle>,
  graceSeconds: number | undefined,
): void {
  const { postStart, preStop } = lifecycle;
  if (postStart !== undefined)
    checkHandler(problems, `${path}.postStart`, postStart as Handler, graceSeconds);
  if (preStop !== undefined) checkHandler(problems, `${path}.preStop`, preStop as Handler, graceSeconds);
}

function checkHandler(
  problems: FieldProblems,
  path: string,
  handler: Handler,
  graceSeconds: number | undefined,
): void {
  let count = 0;
  const another = (kind: string): boolean => {
    count++;
    if (count > 1) problems.forbidden(`${path}.${kind}`, "may not specify more than 1 handler type");
    return count === 1;
  };
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  if (exec !== undefined && another("exec") && (exec.command?.length ?? 0) === 0)
    problems.required(`${path}.exec.command`);
  if (httpGet !== undefined && another("httpGet")) checkHttpGet(problems, `${path}.httpGet`, httpGet);
  if (tcpSocket !== undefined && another("tcpSocket"))
    checkPortNumberOrName(problems, `${path}.tcpSocket.port`, tcpSocket.port as number | string | undefined);
  if (grpc !== undefined && another("grpc")) checkPortNumber(problems, `${path}.grpc.port`, grpc.port ?? 0);
  if (sleep !== undefined && another("sleep")) {
    const seconds = Number(sleep.seconds ?? 0);
    if (graceSeconds !== undefined && (seconds < 0 || seconds > graceSeconds)) {
      problems.invalid(
        `${path}.sleep`,
        seconds,
        `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`,
      );
    }
  }
  if (count === 0) problems.required(path, "must specify a handler type");
}

function checkHttpGet(problems: FieldProblems, path: string, get: DeepReadonly<HTTPGetAction>): void {
  if (!get.path) problems.required(`${path}.path`);
  checkPortNumberOrName(problems, `${path}.port`, get.port as number | string | undefined);
  checkOneOf(problems, `${path}.scheme`, get.scheme, ["HTTP", "HTTPS"]);
  for (const { name } of get.httpHeaders ?? [])
    problems.allInvalid(`${path}.httpHeaders`, name, httpHeaderNameErrors(name));
}
