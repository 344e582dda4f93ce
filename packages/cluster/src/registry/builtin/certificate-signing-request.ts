/** CertificateSigningRequests. Source: kubernetes pkg/apis/certificates/validation, pkg/registry/certificates/certificates. */
import { type DeepReadonly, type FieldError, dns1123LabelErrors, dns1123SubdomainErrors } from "@bowline/api";
import type { CertificateSigningRequest } from "@bowline/api/certificates/v1";
import type { StoredObject } from "../../store/revision.ts";
import type { UserInfo } from "../user.ts";
import { type BuiltinRules, fieldReader } from "./builtin-rules.ts";
import { type Fields, setField } from "./copy-on-write.ts";
import { checkOneOf, same } from "./field-checks.ts";
import { FieldProblems } from "./field-problems.ts";

type Csr = DeepReadonly<CertificateSigningRequest>;
type Conditions = NonNullable<NonNullable<Csr["status"]>["conditions"]>;

const asCsr = (object: StoredObject): Csr => object as unknown as Csr;
const conditionsOf = (object: StoredObject): Conditions => asCsr(object).status?.conditions ?? [];

const usages = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];

/** Who asks is what authentication says, not what the body says. */
function signedBy(object: StoredObject, user: UserInfo | undefined): StoredObject {
  if (user === undefined) return object;
  let spec = (object["spec"] ?? {}) as Fields;
  spec = setField(spec, "username", user.name);
  spec = setField(spec, "uid", user.uid === "" ? undefined : user.uid);
  spec = setField(spec, "groups", user.groups);
  spec = setField(spec, "extra", user.extra);
  return setField(object, "spec", spec);
}

export function checkSignerName(problems: FieldProblems, field: string, name: string): void {
  if (name === "") return problems.required(field);
  const [domain = "", path, ...more] = name.split("/");
  if (path === undefined || more.length > 0) {
    return problems.invalid(
      field,
      name,
      "must be a fully qualified domain and path of the form 'example.com/signer-name'",
    );
  }
  const labels = domain.split(".");
  const badLabel = labels.find((label) => dns1123LabelErrors(label).length > 0);
  for (const text of badLabel === undefined ? [] : dns1123LabelErrors(badLabel))
    problems.invalid(field, domain, `validating label "${badLabel}": ${text}`);
  if (labels.length < 2) {
    problems.invalid(field, domain, "should be a domain with at least two segments separated by dots");
  }
  const badPart = path.split(".").find((label) => dns1123SubdomainErrors(label).length > 0);
  for (const text of badPart === undefined ? [] : dns1123SubdomainErrors(badPart))
    problems.invalid(field, path, `validating label "${badPart}": ${text}`);
}

function checkRequest(problems: FieldProblems, request: string | undefined): void {
  const text = Buffer.from(request ?? "", "base64").toString("latin1");
  const type = /-----BEGIN ([^-]+)-----/.exec(text)?.[1];
  if (type !== "CERTIFICATE REQUEST")
    problems.invalid("spec.request", request ?? null, "PEM block type must be CERTIFICATE REQUEST");
}

function checkCsr(problems: FieldProblems, object: StoredObject): void {
  const { spec } = asCsr(object);
  const given = spec?.usages ?? [];
  checkRequest(problems, spec?.request);
  if (given.length === 0) problems.required("spec.usages");
  given.forEach((usage, i) => {
    checkOneOf(problems, `spec.usages[${i}]`, usage, usages);
    if (given.indexOf(usage) < i) problems.duplicate(`spec.usages[${i}]`, usage);
  });
  if (spec?.signerName === "kubernetes.io/legacy-unknown") {
    problems.invalid(
      "spec.signerName",
      spec.signerName,
      "the legacy signerName is not allowed via this API version",
    );
  } else checkSignerName(problems, "spec.signerName", spec?.signerName ?? "");
  const seconds = spec?.expirationSeconds;
  if (seconds !== undefined && seconds < 600) {
    problems.invalid(
      "spec.expirationSeconds",
      seconds,
      "may not specify a duration less than 600 seconds (10 minutes)",
    );
  }
  checkConditions(problems, conditionsOf(object));
}

const onlyTrue: ReadonlySet<string> = new Set(["Approved", "Denied", "Failed"]);

function checkConditions(problems: FieldProblems, conditions: Conditions): void {
  const field = "status.conditions";
  const seen = new Set<string>();
  conditions.forEach(({ type, status }, i) => {
    if (!type) problems.required(`${field}[${i}].type`);
    if (!status) problems.required(`${field}[${i}].status`);
    else
      checkOneOf(
        problems,
        `${field}[${i}].status`,
        status,
        onlyTrue.has(type) ? ["True"] : ["False", "True", "Unknown"],
      );
    if ((type === "Approved" && seen.has("Denied")) || (type === "Denied" && seen.has("Approved")))
      problems.invalid(field, type, "Approved and Denied conditions are mutually exclusive");
    if (seen.has(type)) problems.duplicate(`${field}[${i}].type`, type);
    seen.add(type);
  });
}

interface Allowed {
  readonly approval?: boolean;
  readonly certificate?: boolean;
}

function updateErrors(object: StoredObject, old: StoredObject, allowed: Allowed): FieldError[] {
  const problems = new FieldProblems();
  checkCsr(problems, object);
  const of = (o: StoredObject, type: string): Conditions =>
    conditionsOf(o).filter((condition) => condition.type === type);
  for (const type of onlyTrue)
    if (of(object, type).length < of(old, type).length)
      problems.forbidden("status.conditions", `updates may not remove a condition of type "${type}"`);
  for (const type of allowed.approval === true ? [] : ["Approved", "Denied"]) {
    const now = of(object, type);
    const before = of(old, type);
    if (now.length > before.length)
      problems.forbidden("status.conditions", `updates may not add a condition of type "${type}"`);
    else if (now.length === before.length && !same(now, before))
      problems.forbidden("status.conditions", `updates may not modify a condition of type "${type}"\n`);
  }
  const certificate = asCsr(object).status?.certificate ?? "";
  const before = asCsr(old).status?.certificate ?? "";
  if (certificate !== before) {
    if (allowed.certificate !== true)
      problems.forbidden("status.certificate", "updates may not set certificate content");
    else if (before !== "")
      problems.forbidden("status.certificate", "updates may not modify existing certificate content");
  }
  return problems.list;
}

/** The stored request with the conditions of the new one, and its certificate where that may be set. */
function withNewStatus(object: StoredObject, old: StoredObject, certificate: boolean): StoredObject {
  const status = (object["status"] ?? {}) as Fields;
  const kept = certificate
    ? status
    : setField(status, "certificate", (old["status"] as Fields | undefined)?.["certificate"]);
  return setField({ ...object, spec: old["spec"] } as StoredObject, "status", kept);
}

export const signingRequestRules: BuiltinRules = {
  name: () => [],
  prepareForCreate: signedBy,
  // the spec is what was signed: it stays as it is
  prepareForUpdate: (object, old) => setField(object, "spec", old["spec"]),
  validateCreate(object) {
    const problems = new FieldProblems();
    checkCsr(problems, object);
    return problems.list;
  },
  validateUpdate: (object, old) => updateErrors(object, old, {}),
  validateStatusUpdate: (object, old) => updateErrors(object, old, { certificate: true }),
  endpoints: {
    approval: {
      prepareForUpdate: (object, old) => withNewStatus(object, old, false),
      validateUpdate: (object, old) => updateErrors(object, old, { approval: true }),
    },
  },
  fields: { "spec.signerName": fieldReader("spec", "signerName") },
};
