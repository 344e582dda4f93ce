/** Ingresses and their classes. Source: kubernetes pkg/apis/networking (v1/defaults.go, validation). */
import {
  type DeepReadonly,
  type FieldError,
  dns1035LabelErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  pathSegmentNameErrors,
} from "@bowline/api";
import { isIP } from "node:net";
import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressClass,
  IngressSpec,
} from "@bowline/api/networking/v1";
import type { StoredObject } from "../../../store/revision.ts";
import type { BuiltinRules } from "../builtin-rules.ts";
import { type Fields, fill, mapField } from "../copy-on-write.ts";
import { checkImmutable, checkIp, checkPortNumber, portNameErrors } from "../field-checks.ts";
import { FieldProblems } from "../field-problems.ts";

type SpecFields = DeepReadonly<IngressSpec>;

const wildcardPattern = /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const wildcardText =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

function checkHost(problems: FieldProblems, field: string, host: string): void {
  if (!host.includes("*")) problems.allInvalid(field, host, dns1123SubdomainErrors(host));
  else if (!wildcardPattern.test(host)) problems.invalid(field, host, wildcardText);
}

function checkSpec(problems: FieldProblems, spec: SpecFields): void {
  const rules = spec.rules ?? [];
  if (rules.length === 0 && spec.defaultBackend === undefined)
    problems.invalid("spec", null, "either `defaultBackend` or `rules` must be specified");
  if (spec.defaultBackend !== undefined) checkBackend(problems, "spec.defaultBackend", spec.defaultBackend);
  rules.forEach(({ host = "", http }, i) => {
    const at = `spec.rules[${i}]`;
    if (host !== "") {
      if (isIP(host) !== 0) problems.invalid(`${at}.host`, host, "must be a DNS name, not an IP address");
      checkHost(problems, `${at}.host`, host);
    }
    if (http === undefined) return;
    const paths = http.paths ?? [];
    if (paths.length === 0) problems.required(`${at}.http.paths`);
    paths.forEach((path, j) => {
      checkPath(problems, `${at}.http.paths[${j}]`, path);
    });
  });
  spec.tls?.forEach(({ hosts = [], secretName }, i) => {
    hosts.forEach((host, j) => {
      checkHost(problems, `spec.tls[${i}].hosts[${j}]`, host);
    });
    if (secretName)
      problems.allInvalid(`spec.tls[${i}].secretName`, secretName, dns1123SubdomainErrors(secretName));
  });
  if (spec.ingressClassName !== undefined) {
    problems.allInvalid(
      "spec.ingressClassName",
      spec.ingressClassName,
      dns1123SubdomainErrors(spec.ingressClassName),
    );
  }
}

const invalidSequences = ["//", "/./", "/../", "%2f", "%2F"];
const invalidSuffixes = ["/..", "/."];

function checkPath(problems: FieldProblems, at: string, entry: DeepReadonly<HTTPIngressPath>): void {
  const { path = "", pathType } = entry;
  if (pathType === undefined) return problems.required(`${at}.pathType`, "pathType must be specified");
  const absolute = "must be an absolute path";
  if (pathType === "Exact" || pathType === "Prefix") {
    if (!path.startsWith("/")) problems.invalid(`${at}.path`, path, absolute);
    for (const sequence of invalidSequences)
      if (path.includes(sequence)) problems.invalid(`${at}.path`, path, `must not contain '${sequence}'`);
    for (const suffix of invalidSuffixes)
      if (path.endsWith(suffix)) problems.invalid(`${at}.path`, path, `cannot end with '${suffix}'`);
  } else if (pathType === "ImplementationSpecific") {
    if (path !== "" && !path.startsWith("/")) problems.invalid(`${at}.path`, path, absolute);
  } else problems.notSupported(`${at}.pathType`, pathType, ["Exact", "ImplementationSpecific", "Prefix"]);
  checkBackend(problems, `${at}.backend`, entry.backend ?? {});
}

function checkBackend(problems: FieldProblems, at: string, backend: DeepReadonly<IngressBackend>): void {
  const { resource, service } = backend;
  if (resource !== undefined && service !== undefined)
    return problems.invalid(at, "", "cannot set both resource and service backends");
  if (resource !== undefined) return checkReference(problems, `${at}.resource`, resource, inIngress);
  if (service === undefined) return problems.invalid(at, "", "resource or service backend is required");
  if (!service.name) problems.required(`${at}.service.name`);
  else problems.allInvalid(`${at}.service.name`, service.name, dns1035LabelErrors(service.name));
  const { name = "", number = 0 } = service.port ?? {};
  if (name !== "" && number !== 0) problems.invalid(at, "", "cannot set both port name & port number");
  else if (name !== "") problems.allInvalid(`${at}.service.port.name`, name, portNameErrors(name));
  else if (number !== 0) checkPortNumber(problems, `${at}.service.port.number`, number);
  else problems.required(at, "port name or number is required");
}

interface Reference {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
}

/** Ingresses say what is missing, classes only that it is. */
const inIngress = { kind: "kind is required", name: "name is required" };
const inClass = { kind: "", name: "" };

function checkReference(
  problems: FieldProblems,
  at: string,
  reference: Reference,
  why: { readonly kind: string; readonly name: string },
): void {
  const { apiGroup, kind = "", name = "" } = reference;
  if (apiGroup !== undefined)
    problems.allInvalid(`${at}.apiGroup`, apiGroup, dns1123SubdomainErrors(apiGroup));
  if (kind === "") problems.required(`${at}.kind`, why.kind);
  else problems.allInvalid(`${at}.kind`, kind, pathSegmentNameErrors(kind));
  if (name === "") problems.required(`${at}.name`, why.name);
  else problems.allInvalid(`${at}.name`, name, pathSegmentNameErrors(name));
}

const asIngress = (object: StoredObject): DeepReadonly<Ingress> => object as unknown as DeepReadonly<Ingress>;
const classAnnotation = "kubernetes.io/ingress.class";

function errorsOf(object: StoredObject): FieldProblems {
  const problems = new FieldProblems();
  checkSpec(problems, asIngress(object).spec ?? {});
  return problems;
}

function createErrors(object: StoredObject): FieldError[] {
  const problems = errorsOf(object);
  const annotation = object.metadata.annotations?.[classAnnotation];
  const name = asIngress(object).spec?.ingressClassName;
  if (annotation !== undefined && name !== undefined && annotation !== name) {
    problems.invalid(
      `annotations.${classAnnotation}`,
      annotation,
      "must match `ingressClassName` when both are specified",
    );
  }
  return problems.list;
}

function statusErrors(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  asIngress(object).status?.loadBalancer?.ingress?.forEach(({ ip, hostname }, i) => {
    const at = `status.loadBalancer.ingress[${i}]`;
    if (ip) checkIp(problems, `${at}.ip`, ip);
    if (!hostname) return;
    problems.allInvalid(`${at}.hostname`, hostname, dns1123SubdomainErrors(hostname));
    if (isIP(hostname) !== 0)
      problems.invalid(`${at}.hostname`, hostname, "must be a DNS name, not an IP address");
  });
  return problems.list;
}

function warnings(object: StoredObject, old: StoredObject | undefined): string[] {
  const annotated = object.metadata.annotations?.[classAnnotation] !== undefined;
  return old === undefined && annotated
    ? [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
    : [];
}

export const ingressRules: BuiltinRules = {
  generation: true,
  initialStatus: { loadBalancer: {} },
  validateCreate: createErrors,
  validateUpdate: (object) => errorsOf(object).list,
  validateStatusUpdate: statusErrors,
  warnings,
};

const scopeDefault: Fields = Object.freeze({ scope: "Cluster" });
const pathPattern = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

function classErrors(object: StoredObject): FieldProblems {
  const problems = new FieldProblems();
  const { spec } = object as unknown as DeepReadonly<IngressClass>;
  const controller = spec?.controller ?? "";
  if (controller.length > 250) problems.tooLong("spec.controller", 250);
  const slash = controller.indexOf("/");
  if (controller === "") problems.required("spec.controller");
  else if (slash <= 0 || slash === controller.length - 1) {
    problems.invalid("spec.controller", controller, 'must be a domain-prefixed path (such as "acme.io/foo")');
  } else {
    const host = controller.slice(0, slash);
    problems.allInvalid("spec.controller", host, dns1123SubdomainErrors(host));
    const path = controller.slice(slash + 1);
    if (!pathPattern.test(path))
      problems.invalid(
        "spec.controller",
        path,
        "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')",
      );
  }
  const parameters = spec?.parameters;
  if (parameters === undefined) return problems;
  checkReference(problems, "spec.parameters", parameters as Reference, inClass);
  checkScope(problems, parameters);
  return problems;
}

function checkScope(
  problems: FieldProblems,
  { scope, namespace }: { readonly scope?: string; readonly namespace?: string },
): void {
  const at = "spec.parameters";
  if (scope === undefined) return problems.required(`${at}.scope`);
  if (scope !== "Cluster" && scope !== "Namespace")
    return problems.notSupported(`${at}.scope`, scope, ["Cluster", "Namespace"]);
  if (scope === "Cluster") {
    if (namespace !== undefined)
      problems.forbidden(`${at}.namespace`, "`parameters.scope` is set to 'Cluster'");
  } else if (namespace === undefined)
    problems.required(`${at}.namespace`, "`parameters.scope` is set to 'Namespace'");
  else problems.allInvalid(`${at}.namespace`, namespace, dns1123LabelErrors(namespace));
}

export const ingressClassRules: BuiltinRules = {
  generation: true,
  defaults: (object) =>
    mapField(object, "spec", (spec: Fields) =>
      mapField(spec, "parameters", (p: Fields) => fill(p, scopeDefault)),
    ),
  validateCreate: (object) => classErrors(object).list,
  validateUpdate(object, old) {
    const problems = classErrors(object);
    const controller = (o: StoredObject): unknown => (o["spec"] as Fields | undefined)?.["controller"];
    checkImmutable(problems, "spec.controller", controller(object), controller(old));
    return problems.list;
  },
};
