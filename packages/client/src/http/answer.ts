import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { type Status, type StatusReason, StatusError } from "@bowline/api";
import type { WholeAnswer } from "./exchange.ts";
import { readJson } from "./json-body.ts";
import type { WireHeaders } from "./wire.ts";

const inflate = promisify(gunzip);

/** What a foreign answer says is shown up to this length. */
const shownTextMax = 2048;

/** The text of a body, unpacked. @throws Error when it is packed in a way that was not asked for */
export async function bodyText(answer: WholeAnswer): Promise<string> {
  const encoding = headerText(answer.headers, "content-encoding");
  if (encoding === "" || encoding === "identity") return answer.body.toString("utf8");
  if (encoding === "gzip") return (await inflate(answer.body)).toString("utf8");
  throw new Error(`the answer has content-encoding ${encoding}, which was not asked for`);
}

/** One header as text, several lines joined; `""` when absent. */
export function headerText(headers: WireHeaders, name: string): string {
  const value = headers[name];
  return typeof value === "string" ? value : (value?.join(", ") ?? "");
}

/** All headers, several lines of one joined. */
export function joinHeaders(headers: WireHeaders): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const name of Object.keys(headers)) joined[name] = headerText(headers, name);
  return joined;
}

export function isJson(headers: WireHeaders): boolean {
  return /^application\/(.+\+)?json\b/i.test(headerText(headers, "content-type"));
}

/**
 * The error that an answer other than 2xx stands for: its Status, or one made up when something else (a proxy, a load
 * balancer) answered. Source: api/errors (errors.go) NewGenericServerResponse for the reasons.
 */
export function statusErrorFrom(
  code: number,
  headers: WireHeaders,
  text: string,
  asked: string,
): StatusError {
  const retryAfterSeconds = retryAfterSecondsOf(headers);
  const sent = parseStatus(headers, text);
  if (sent !== undefined) {
    const details = retryAfterSeconds === undefined ? sent.details : { retryAfterSeconds, ...sent.details };
    return new StatusError({ ...sent, code: sent.code ?? code, ...(details && { details }) });
  }
  const shown = text.trim().slice(0, shownTextMax);
  const says = shown === "" ? "the answer is empty" : `it says ${JSON.stringify(shown)}`;
  const reason = reasons[code] ?? (code >= 500 ? "InternalError" : "");
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `${asked} was answered with ${code} by something that does not speak the Kubernetes API, or has no such path; ${says}`,
    ...(reason !== "" && { reason }),
    details: {
      causes: [{ reason: "UnexpectedServerResponse", message: shown }],
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    },
    code,
  });
}

const reasons: Record<number, StatusReason> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  409: "Conflict",
  410: "Gone",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

function parseStatus(headers: WireHeaders, text: string): Status | undefined {
  if (!isJson(headers)) return undefined;
  try {
    const body = readJson<Status>(text) as Status;
    return typeof body === "object" && body !== null && body.kind === "Status" ? body : undefined;
  } catch {
    return undefined;
  }
}

/** Seconds of a Retry-After header; a date there is not used by API servers and not understood. */
export function retryAfterSecondsOf(headers: WireHeaders): number | undefined {
  const text = headerText(headers, "retry-after");
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** The texts of Warning headers with code 299, unquoted. Source: RFC 7234, section 5.5, as apimachinery's net/http.go reads it. */
export function warningsOf(headers: WireHeaders): string[] {
  const header = headerText(headers, "warning");
  if (header === "") return noWarnings;
  const warnings: string[] = [];
  for (const [, code, quoted = ""] of header.matchAll(/(\d{3}) \S+ "((?:[^"\\]|\\.)*)"/g)) {
    if (code === "299") warnings.push(quoted.replace(/\\(.)/g, "$1"));
  }
  return warnings;
}

const noWarnings: string[] = Object.freeze([]) as unknown as string[];
