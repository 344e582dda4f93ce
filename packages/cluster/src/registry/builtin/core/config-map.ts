/** ConfigMaps and Secrets. Source: kubernetes pkg/apis/core (v1/defaults.go, v1/conversion.go, validation). */
import type { FieldError } from "@bowline/api";
import type { StoredObject } from "../../../store/revision.ts";
import { type BuiltinRules, fieldReader } from "../builtin-rules.ts";
import { type Fields, fillZero, setField } from "../copy-on-write.ts";
import { checkImmutable, configKeyErrors, same } from "../field-checks.ts";
import { FieldProblems } from "../field-problems.ts";

const contentBytesMax = 1024 * 1024;
const immutableText = "field is immutable when `immutable` is set";

type Texts = Readonly<Record<string, string>>;

function textsOf(object: StoredObject, field: string): Texts {
  return (object[field] ?? {}) as Texts;
}

/** Size of what base64 text stands for. */
function decodedLength(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}

function checkKeys(problems: FieldProblems, field: string, texts: Texts): void {
  for (const key in texts) problems.allInvalid(`${field}[${key}]`, key, configKeyErrors(key));
}

function checkFrozen(
  problems: FieldProblems,
  object: StoredObject,
  old: StoredObject,
  fields: readonly string[],
): void {
  if (old["immutable"] !== true) return;
  if (object["immutable"] !== true) problems.forbidden("immutable", immutableText);
  for (const field of fields) if (!same(object[field], old[field])) problems.forbidden(field, immutableText);
}

function configMapErrors(object: StoredObject): FieldProblems {
  const problems = new FieldProblems();
  const data = textsOf(object, "data");
  const binaryData = textsOf(object, "binaryData");
  let bytes = 0;
  for (const key in data) {
    problems.allInvalid(`data[${key}]`, key, configKeyErrors(key));
    if (binaryData[key] !== undefined)
      problems.invalid(`data[${key}]`, key, "duplicate of key present in binaryData");
    bytes += Buffer.byteLength(data[key] ?? "");
  }
  checkKeys(problems, "binaryData", binaryData);
  for (const key in binaryData) bytes += decodedLength(binaryData[key] ?? "");
  // the field is empty: the whole object is meant
  if (bytes > contentBytesMax) problems.tooLong("[]", contentBytesMax);
  return problems;
}

export const configMapRules: BuiltinRules = {
  validateCreate: (object) => configMapErrors(object).list,
  validateUpdate(object, old) {
    const problems = new FieldProblems();
    checkFrozen(problems, object, old, ["data", "binaryData"]);
    problems.add(configMapErrors(object).list);
    return problems.list;
  },
};

const typeDefault: Fields = Object.freeze({ type: "Opaque" });

/** stringData is only ever written: it becomes part of data. */
function secretDefaults(object: StoredObject): StoredObject {
  const filled = fillZero(object, typeDefault);
  const texts = filled["stringData"] as Texts | undefined;
  if (texts === undefined) return filled;
  const encoded = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
  );
  const data = { ...textsOf(filled, "data"), ...encoded };
  return setField(setField(filled, "stringData", undefined), "data", data);
}

const accountName = "kubernetes.io/service-account.name";

/** Keys that a type must have, each of them. */
const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};

function secretErrors(object: StoredObject): FieldProblems {
  const problems = new FieldProblems();
  const data = textsOf(object, "data");
  const type = String(object["type"] ?? "");
  checkKeys(problems, "data", data);
  let bytes = 0;
  for (const key in data) bytes += decodedLength(data[key] ?? "");
  if (bytes > contentBytesMax) problems.tooLong("data", contentBytesMax);
  if (type === "kubernetes.io/service-account-token") {
    if (!object.metadata.annotations?.[accountName])
      problems.required(`metadata.annotations[${accountName}]`);
  } else if (type === "kubernetes.io/basic-auth") {
    if (data["username"] === undefined && data["password"] === undefined) {
      problems.required("data[username]");
      problems.required("data[password]");
    }
  }
  for (const key of requiredKeys[type] ?? []) checkSecretKey(problems, key, data[key]);
  return problems;
}

function checkSecretKey(problems: FieldProblems, key: string, value: string | undefined): void {
  if (value === undefined || (key === "ssh-privatekey" && value === ""))
    return problems.required(`data[${key}]`);
  if (!key.startsWith(".docker")) return;
  const error = jsonError(Buffer.from(value, "base64").toString());
  if (error !== undefined) problems.invalid(`data[${key}]`, "<secret contents redacted>", error);
}

/** In the words of Go's encoding/json, as far as they are simple. */
function jsonError(text: string): string | undefined {
  if (text === "") return "unexpected end of JSON input";
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && !Array.isArray(value)) return undefined;
    const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
    return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
  } catch {
    const character = /^\s*(.)/s.exec(text)?.[1] ?? "";
    return `invalid character '${character}' looking for beginning of value`;
  }
}

export const secretRules: BuiltinRules = {
  defaults: secretDefaults,
  validateCreate: (object) => secretErrors(object).list,
  validateUpdate(object, old): readonly FieldError[] {
    const problems = new FieldProblems();
    checkImmutable(problems, "type", object["type"], old["type"]);
    checkFrozen(problems, object, old, ["data"]);
    problems.add(secretErrors(object).list);
    return problems.list;
  },
  warnings: keyPairWarnings,
  fields: { type: fieldReader("type") },
};

/** A server that is to use this would not start. Source: pkg/registry/core/secret (warningsForSecret). */
function keyPairWarnings(object: StoredObject): readonly string[] {
  if (object["type"] !== "kubernetes.io/tls") return [];
  const data = (object["data"] ?? {}) as Readonly<Record<string, string>>;
  for (const [key, what] of [
    ["tls.crt", "certificate"],
    ["tls.key", "key"],
  ] as const) {
    const text = Buffer.from(data[key] ?? "", "base64").toString("latin1");
    if (!/-----BEGIN [^-]+-----/.test(text)) return [`tls: failed to find any PEM data in ${what} input`];
  }
  return [];
}

const mountableSecrets = "kubernetes.io/enforce-mountable-secrets";

export const serviceAccountRules: BuiltinRules = {
  warnings(object, old) {
    const has = (o: StoredObject | undefined): boolean =>
      o?.metadata.annotations?.[mountableSecrets] !== undefined;
    if (!has(object) || has(old)) return [];
    const why = "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets";
    return [`metadata.annotations[${mountableSecrets}]: ${why}`];
  },
};
