/** APIServices. Source: kube-aggregator pkg/apis/apiregistration (v1/defaults.go, validation). */
import {
  type DeepReadonly,
  type FieldError,
  dns1035LabelErrors,
  dns1123SubdomainErrors,
  pathSegmentNameErrors,
} from "@bowline/api";
import type { APIService } from "@bowline/api/apiregistration/v1";
import type { StoredObject } from "../../store/revision.ts";
import type { BuiltinRules } from "./builtin-rules.ts";
import { type Fields, fill, mapField } from "./copy-on-write.ts";
import { checkOneOf } from "./field-checks.ts";
import { FieldProblems } from "./field-problems.ts";

const portDefault: Fields = Object.freeze({ port: 443 });

function errorsOf(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const spec = (object as unknown as DeepReadonly<APIService>).spec;
  const { group = "", version = "" } = spec ?? {};
  const { name = "" } = object.metadata;
  const required = `${version}.${group}`;
  if (name !== required)
    problems.invalid("metadata.name", name, `must be \`spec.version+"."+spec.group\`: "${required}"`);
  if (group === "") {
    if (version !== "v1")
      problems.required("spec.group", "only v1 may have an empty group and it better be legacy kube");
  } else problems.allInvalid("spec.group", group, dns1123SubdomainErrors(group));
  problems.allInvalid("spec.version", version, dns1035LabelErrors(version));
  const priority = spec?.groupPriorityMinimum ?? 0;
  if (priority <= 0 || priority > 20_000)
    problems.invalid("spec.groupPriorityMinimum", priority, "must be positive and less than 20000");
  const versionPriority = spec?.versionPriority ?? 0;
  if (versionPriority <= 0 || versionPriority > 1000)
    problems.invalid("spec.versionPriority", versionPriority, "must be positive and less than 1000");
  checkService(problems, spec);
  return problems.list;
}

function checkService(problems: FieldProblems, spec: DeepReadonly<APIService>["spec"]): void {
  const { service, caBundle = "", insecureSkipTLSVerify = false } = spec ?? {};
  if (service === undefined) {
    if (caBundle !== "") {
      problems.invalid(
        "spec.caBundle",
        `${Buffer.byteLength(caBundle, "base64")} bytes`,
        "local APIServices may not have a caBundle",
      );
    }
    if (insecureSkipTLSVerify)
      problems.invalid(
        "spec.insecureSkipTLSVerify",
        true,
        "local APIServices may not have insecureSkipTLSVerify",
      );
    return;
  }
  if (!service.namespace) problems.required("spec.service.namespace");
  if (!service.name) problems.required("spec.service.name");
  const port = service.port ?? 443;
  if (port < 1 || port > 65535)
    problems.invalid("spec.service.port", port, "port is not valid: must be between 1 and 65535, inclusive");
  if (insecureSkipTLSVerify && caBundle !== "")
    problems.invalid("spec.insecureSkipTLSVerify", true, "may not be true if caBundle is present");
}

function statusErrors(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const { status } = object as unknown as DeepReadonly<APIService>;
  status?.conditions?.forEach((condition, i) => {
    checkOneOf(problems, `status.conditions[${i}].status`, condition.status, ["True", "False", "Unknown"]);
  });
  return problems.list;
}

export const apiServiceRules: BuiltinRules = {
  name: pathSegmentNameErrors,
  allowUnconditionalUpdate: false,
  defaults: (object) =>
    mapField(object, "spec", (spec: Fields) =>
      mapField(spec, "service", (service: Fields) => fill(service, portDefault)),
    ),
  validateCreate: errorsOf,
  validateUpdate: errorsOf,
  validateStatusUpdate: statusErrors,
};
