/** Cases whose expected answers were recorded from the real server's own rules (kubernetes 1.35, pkg/registry strategies). */

/** Fields to set, by dotted path: `spec.ports[0].name`; null takes a field away. */
export type FieldSet = Readonly<Record<string, unknown>>;

/** The object that was stored, or the causes of the refusal; both without what differs from run to run. */
export interface Expected {
  /** How the object differs from that of the kind's base: a merge patch. */
  readonly object?: unknown;
  /** `FieldValueInvalid spec.replicas: Invalid value: -1: must be ...`, sorted. */
  readonly causes?: readonly string[];
  /** Why the body could not even be read. */
  readonly error?: string;
  readonly warnings?: readonly string[];
}

export interface RecordedKind {
  readonly base: Record<string, unknown>;
  /** What is stored when the base is created. */
  readonly stored: unknown;
  readonly create: readonly { readonly set: FieldSet; readonly expect: Expected }[];
  readonly update: readonly { readonly from: FieldSet; readonly set: FieldSet; readonly expect: Expected }[];
}

/** A copy of an object with these fields set. */
export function withFields<T>(object: T, set: FieldSet): T {
  const copy = structuredClone(object);
  for (const [path, value] of Object.entries(set)) {
    const keys = path.split(/[.[\]]+/).filter((key) => key !== "");
    const last = keys.pop() ?? "";
    let at = copy as Record<string, unknown>;
    for (const key of keys) {
      at[key] ??= {};
      at = at[key] as Record<string, unknown>;
    }
    if (value === null) delete at[last];
    else at[last] = structuredClone(value);
  }
  return copy;
}

/** A JSON merge patch applied. Source: RFC 7396. */
export function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const base = typeof target === "object" && target !== null && !Array.isArray(target) ? target : {};
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

const uid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT[0-9:.]+Z/g;
/** Set by the server itself, or by plug-ins and allocators that are no part of the rules of a kind. */
const volatile = ["uid", "creationTimestamp", "resourceVersion", "managedFields", "namespace", "selfLink"];
const allocated = ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "healthCheckNodePort"];

/** Text without uids and times. */
export function steadyText(text: string): string {
  return text.replace(uid, "<uid>").replace(time, "<time>");
}

/** The differences that a message shows, and the values that it shows in the words of Go types, are no promise. */
function withoutGoTypes(text: string): string {
  return (text.split("\n")[0] ?? "").replace(/(value: )\{.*\}(?=:|$)/, "$1{...}");
}

/** An object without what differs from run to run, and without nulls, which mean the same as nothing. */
export function steady(object: unknown): unknown {
  const copy = JSON.parse(steadyText(JSON.stringify(object))) as {
    kind: string;
    metadata: Record<string, unknown>;
    spec?: Record<string, unknown>;
  };
  for (const field of volatile) delete copy.metadata[field];
  if (copy.kind === "Service") {
    for (const field of allocated) delete copy.spec?.[field];
    for (const port of (copy.spec?.["ports"] ?? []) as Record<string, unknown>[]) delete port["nodePort"];
  }
  return withoutNulls(copy);
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([key, item]) => [key, withoutNulls(item)]),
  );
}

/** The causes of a refusal, sorted: their order means nothing. */
export function causeTexts(
  causes: readonly { readonly reason?: string; readonly field?: string; readonly message?: string }[] = [],
): string[] {
  return causes
    .map(({ reason, field, message }) => withoutGoTypes(steadyText(`${reason} ${field}: ${message}`)))
    .sort();
}
