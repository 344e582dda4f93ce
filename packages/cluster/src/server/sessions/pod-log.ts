/** `pods/log`. Source: kubernetes pkg/registry/core/pod/rest (log.go), pkg/apis/core/validation (ValidatePodLogOptions). */
import { type FieldError, badRequest, invalid } from "@bowline/api";
import { isTrue } from "../request-info.ts";
import type { ServerResponse } from "../request.ts";
import type { VerbContext } from "../verb-context.ts";
import { notSupported } from "../verbs/update.ts";
import type { SessionLogOptions } from "../../session-port.ts";
import {
  chosenContainer,
  hostOf,
  identityOf,
  kubeletPort,
  reachedSessions,
  sessionPod,
} from "./session-target.ts";

const headers = { "content-type": "text/plain" };

/** Answers a container's log. @throws StatusError 400, 404, 422 */
export async function readPodLog(context: VerbContext): Promise<ServerResponse> {
  const { info, request } = context;
  if (info.verb !== "get") throw notSupported(context, info.verb);
  const options = logOptions(request.query, info.name);
  const pod = sessionPod(context);
  const container = chosenContainer(pod, request.query.get("container") ?? "");
  if ((pod.spec?.nodeName ?? "") === "") return { kind: "raw", status: 204, headers: {}, data: "" };
  const host = hostOf(context, pod);
  const target = { ...identityOf(pod), container };
  const address = `${pod.status?.hostIP ?? host}:${kubeletPort}`;
  const path = `containerLogs/${target.namespace}/${target.pod}/${container}`;
  const sessions = reachedSessions(context, { pod, host, doing: `Get "https://${address}/${path}"` });
  const stream = await sessions.log(target, options, request.signal);
  return { kind: "bytes", status: 200, headers: { ...headers }, stream };
}

/** @throws StatusError 400 for what is no number, 422 for what makes no sense */
function logOptions(query: URLSearchParams, name: string): SessionLogOptions {
  const number = (key: string): number | undefined => {
    const text = query.get(key);
    if (text === null || text === "") return undefined;
    if (!/^[+-]?\d+$/.test(text))
      throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
    return Number(text);
  };
  const options: SessionLogOptions = {
    follow: isTrue(query.get("follow")),
    previous: isTrue(query.get("previous")),
    timestamps: isTrue(query.get("timestamps")),
    tailLines: number("tailLines"),
    sinceSeconds: number("sinceSeconds"),
    sinceTime: query.get("sinceTime") ?? undefined,
    limitBytes: number("limitBytes"),
    stream: "All",
  };
  const errors = wrongOptions(options, query.has("stream"));
  if (errors.length > 0) throw invalid({ group: "", kind: "PodLogOptions" }, name, errors);
  return options;
}

function wrongOptions(options: SessionLogOptions, hasStream: boolean): FieldError[] {
  const { tailLines, limitBytes, sinceSeconds, sinceTime } = options;
  const errors: FieldError[] = [];
  const refuse = (field: string, badValue: number, detail: string): void =>
    void errors.push({ type: "Invalid", field, badValue, detail });
  if (tailLines !== undefined && tailLines < 0)
    refuse("tailLines", tailLines, "must be greater than or equal to 0");
  if (limitBytes !== undefined && limitBytes < 1) refuse("limitBytes", limitBytes, "must be greater than 0");
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    const detail = "at most one of `sinceTime` or `sinceSeconds` may be specified";
    errors.push({ type: "Forbidden", field: "", detail });
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    refuse("sinceSeconds", sinceSeconds, "must be greater than 0");
  }
  if (hasStream) errors.push({ type: "Forbidden", field: "stream", detail: "may not be specified" });
  return errors;
}
