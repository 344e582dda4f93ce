/** Requests that are almost right: valid ones with something broken in their body, path, query or headers. */
import type { Random } from "@bowline/client";

export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
}

/** One of them. */
export function pick<T>(random: Random, choices: readonly T[]): T {
  return choices[Math.floor(random.next() * choices.length)] as T;
}

function chance(random: Random, share: number): boolean {
  return random.next() < share;
}

/** A value that nobody expects where it is put. */
const oddValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  "",
  "x",
  "null",
  "\u0000",
  "\ud800",
  "é✓😀",
  "a".repeat(300),
  [],
  {},
  [null],
  [[[]]],
  { "": {} },
  { __proto__: null, constructor: { prototype: 1 }, toString: "x" },
  { $patch: "delete" },
  { "$setElementOrder/x": [1] },
  "9223372036854775808",
  "2001-01-01T00:00:00Z",
];

const oddTexts: readonly string[] = [
  "",
  "{",
  "[]",
  "null",
  '"x"',
  "{}",
  "{]",
  "\u0000\u0001",
  "[".repeat(20_000),
  `{"a":`.repeat(11_000),
  '{"kind":1e400}',
  "a: &a [*a]",
  "- ? !!binary x",
  "k8s\u0000\n\u0002",
  '{"apiVersion":"v1","kind":"List","items":[]}',
  '{"__proto__":{"a":1},"apiVersion":"v1"}',
];

const oddHeaders: readonly (readonly [string, string])[] = [
  ["accept", "application/vnd.kubernetes.protobuf"],
  ["accept", "application/yaml"],
  ["accept", "application/json;as=Table;g=meta.k8s.io;v=v1"],
  ["accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"],
  ["accept", "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"],
  ["accept", ";;;,,,q=x"],
  ["accept", "*/*;q=nan"],
  ["accept-encoding", "gzip"],
  ["content-type", "application/vnd.kubernetes.protobuf"],
  ["content-type", "application/yaml"],
  ["content-type", "application/json"],
  ["content-type", "application/merge-patch+json"],
  ["content-type", "application/json-patch+json"],
  ["content-type", "application/strategic-merge-patch+json"],
  ["content-type", "application/apply-patch+yaml"],
  ["content-type", "\u00e9"],
  ["user-agent", "x".repeat(2000)],
  ["user-agent", "\u00e9/1"],
  ["if-none-match", '"x"'],
  ["x-junk", "y".repeat(9000)],
];

const oddParameters: readonly string[] = [
  "limit=-1",
  "limit=1",
  "limit=x",
  "limit=99999999999999999999",
  "continue=x",
  "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoieCJ9",
  "resourceVersion=1",
  "resourceVersion=99999999999999999999",
  "resourceVersion=x",
  "resourceVersionMatch=Exact",
  "resourceVersionMatch=NotOlderThan",
  "sendInitialEvents=true",
  "allowWatchBookmarks=true",
  "labelSelector=a%20in%20(",
  "labelSelector=a%3Db,!c",
  "fieldSelector=metadata.name%3Da",
  "fieldSelector=spec.x%3D%3D",
  "fieldManager=%00",
  "fieldManager=m",
  "fieldValidation=Strict",
  "fieldValidation=x",
  "force=true",
  "dryRun=All",
  "dryRun=x",
  "propagationPolicy=x",
  "propagationPolicy=Foreground",
  "gracePeriodSeconds=-5",
  "orphanDependents=true",
  "pretty=true",
  "timeout=1ms",
  "timeout=x",
  "includeObject=Object",
  "%zz=%",
  "a;b",
];

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND"];

/** The request with one to three things broken. A watch ends after a second at most. */
export function mutated(random: Random, request: FuzzRequest): FuzzRequest {
  let result = request;
  const changes = 1 + Math.floor(random.next() * 3);
  for (let i = 0; i < changes; i++) result = pick(random, mutations)(random, result);
  return /[?&]watch=|\/watch\//.test(result.path) ? withParameter(result, "timeoutSeconds=1") : result;
}

type Mutation = (random: Random, request: FuzzRequest) => FuzzRequest;

const mutations: readonly Mutation[] = [
  (random, request) => ({ ...request, method: pick(random, methods) }),
  (random, request) => withParameter(request, pick(random, oddParameters)),
  (random, request) => withParameter(request, pick(random, oddParameters)),
  (random, request) => {
    const [name, value] = pick(random, oddHeaders);
    return { ...request, headers: { ...request.headers, [name]: value } };
  },
  (random, request) => ({ ...request, path: brokenPath(random, request.path) }),
  (random, request) => ({ ...request, body: pick(random, oddTexts) }),
  brokenBytes,
  brokenValue,
  brokenValue,
  brokenValue,
];

function withParameter(request: FuzzRequest, parameter: string): FuzzRequest {
  return { ...request, path: `${request.path}${request.path.includes("?") ? "&" : "?"}${parameter}` };
}

const oddSegments = [
  "",
  "%",
  "%2f",
  "%00",
  "..",
  "a%20b",
  "status",
  "scale",
  "watch",
  "x".repeat(300),
  "namespaces",
  "v9",
  "é",
];

function brokenPath(random: Random, path: string): string {
  const parts = path.split("/");
  const at = 1 + Math.floor(random.next() * (parts.length - 1));
  if (chance(random, 0.3)) parts.splice(at, 1);
  else if (chance(random, 0.5))
    parts.splice(at, 0, encodeURI(pick(random, oddSegments)).replace(/%25/g, "%"));
  else parts[at] = encodeURI(pick(random, oddSegments)).replace(/%25/g, "%");
  return parts.join("/") || "/";
}

/** The body with bytes changed, cut, or said twice. */
function brokenBytes(random: Random, request: FuzzRequest): FuzzRequest {
  if (request.body === undefined) return request;
  const bytes = Buffer.from(request.body);
  if (bytes.length === 0) return request;
  const at = Math.floor(random.next() * bytes.length);
  switch (Math.floor(random.next() * 3)) {
    case 0:
      bytes[at] = Math.floor(random.next() * 256);
      return { ...request, body: bytes };
    case 1:
      return { ...request, body: bytes.subarray(0, at) };
    default:
      return { ...request, body: Buffer.concat([bytes.subarray(0, at), bytes.subarray(at >> 1)]) };
  }
}

/** The body with one value in it replaced, removed or moved. */
function brokenValue(random: Random, request: FuzzRequest): FuzzRequest {
  if (typeof request.body !== "string") return request;
  let value: unknown;
  try {
    value = JSON.parse(request.body);
  } catch {
    return request;
  }
  return { ...request, body: JSON.stringify(changedValue(random, value)) };
}

function changedValue(random: Random, value: unknown): unknown {
  if (typeof value !== "object" || value === null || chance(random, 0.15)) return pick(random, oddValues);
  if (Array.isArray(value)) {
    const at = Math.floor(random.next() * (value.length + 1));
    return at < value.length
      ? value.map((item, i) => (i === at ? changedValue(random, item) : item))
      : [...value, pick(random, oddValues)];
  }
  const fields = { ...(value as Record<string, unknown>) };
  const keys = Object.keys(fields);
  const key = pick(random, keys);
  if (key === undefined || chance(random, 0.1))
    return { ...fields, [pick(random, ["x", "metadata", "$patch"])]: pick(random, oddValues) };
  if (chance(random, 0.1)) delete fields[key];
  else fields[key] = changedValue(random, fields[key]);
  return fields;
}
