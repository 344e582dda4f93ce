/** Webhook configurations. Source: kubernetes pkg/apis/admissionregistration (v1/defaults.go, validation), apiserver pkg/util/webhook. */
import { type DeepReadonly, type FieldError, dns1035LabelErrors, dns1123SubdomainErrors } from "@bowline/api";
import type { MutatingWebhook, ServiceReference } from "@bowline/api/admissionregistration/v1";
import { admissionVariables } from "../../admission-variables.ts";
import type { StoredObject } from "../../../store/revision.ts";
import type { BuiltinRules } from "../builtin-rules.ts";
import { type Fields, fill, mapField, mapItems } from "../copy-on-write.ts";
import { checkLabelSelector, checkOneOf, same } from "../field-checks.ts";
import { FieldProblems } from "../field-problems.ts";
import { checkMatchConditions, checkRule, defaultRule } from "./admission-rule.ts";

const webhookDefaults: Fields = Object.freeze({
  failurePolicy: "Fail",
  matchPolicy: "Equivalent",
  namespaceSelector: Object.freeze({}),
  objectSelector: Object.freeze({}),
  timeoutSeconds: 10,
});
const reinvocationDefault: Fields = Object.freeze({ reinvocationPolicy: "Never" });
const portDefault: Fields = Object.freeze({ port: 443 });

function defaultWebhook(webhook: Fields, mutating: boolean): Fields {
  const filled = fill(webhook, webhookDefaults);
  const reinvoked = mutating ? fill(filled, reinvocationDefault) : filled;
  const ruled = mapItems(reinvoked, "rules", defaultRule);
  return mapField(ruled, "clientConfig", (config: Fields) =>
    mapField(config, "service", (service: Fields) => fill(service, portDefault)),
  );
}

function checkWebhook(problems: FieldProblems, at: string, webhook: DeepReadonly<MutatingWebhook>): void {
  checkFullyQualified(problems, `${at}.name`, webhook.name ?? "");
  webhook.rules?.forEach((rule, i) => {
    checkRule(problems, `${at}.rules[${i}]`, rule);
  });
  checkOneOf(problems, `${at}.failurePolicy`, webhook.failurePolicy, ["Fail", "Ignore"]);
  checkOneOf(problems, `${at}.matchPolicy`, webhook.matchPolicy, ["Equivalent", "Exact"]);
  if (webhook.sideEffects === undefined)
    problems.required(`${at}.sideEffects`, "must specify one of None, NoneOnDryRun");
  else checkOneOf(problems, `${at}.sideEffects`, webhook.sideEffects, ["None", "NoneOnDryRun"]);
  const { timeoutSeconds } = webhook;
  if (timeoutSeconds !== undefined && (timeoutSeconds > 30 || timeoutSeconds < 1)) {
    problems.invalid(
      `${at}.timeoutSeconds`,
      timeoutSeconds,
      "the timeout value must be between 1 and 30 seconds",
    );
  }
  checkLabelSelector(problems, `${at}.namespaceSelector`, webhook.namespaceSelector as never);
  checkLabelSelector(problems, `${at}.objectSelector`, webhook.objectSelector as never);
  checkOneOf(problems, `${at}.reinvocationPolicy`, webhook.reinvocationPolicy, ["IfNeeded", "Never"]);
  const { url, service } = webhook.clientConfig ?? {};
  if ((url === undefined) === (service === undefined))
    problems.required(`${at}.clientConfig`, "exactly one of url or service is required");
  else if (url !== undefined) checkUrl(problems, `${at}.clientConfig.url`, url);
  else if (service !== undefined) checkService(problems, `${at}.clientConfig.service`, service);
  checkMatchConditions(problems, `${at}.matchConditions`, webhook.matchConditions ?? [], admissionVariables);
  checkReviewVersions(problems, `${at}.admissionReviewVersions`, webhook.admissionReviewVersions ?? []);
}

function checkFullyQualified(problems: FieldProblems, field: string, name: string): void {
  if (name === "") return problems.required(field);
  const errors = dns1123SubdomainErrors(name);
  if (errors.length > 0) return problems.invalid(field, name, errors.join(","));
  if (name.split(".").length < 3) {
    problems.invalid(field, name, "should be a domain with at least three segments separated by dots");
  }
}

const form = "; desired format: https://host[/path]";

function checkUrl(problems: FieldProblems, field: string, text: string): void {
  const [, scheme = "", rest = text] = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/s.exec(text) ?? [];
  if (scheme.toLowerCase() !== "https")
    problems.invalid(field, scheme, `'https' is the only allowed URL scheme${form}`);
  const authority = /^\/\/([^/?#]*)/.exec(rest)?.[1] ?? "";
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  if (host === "") problems.invalid(field, host, `host must be specified${form}`);
  if (authority.includes("@")) {
    problems.invalid(
      field,
      authority.slice(0, authority.lastIndexOf("@")),
      "user information is not permitted in the URL",
    );
  }
  const fragment = /#(.*)$/s.exec(rest)?.[1] ?? "";
  if (fragment !== "") problems.invalid(field, fragment, "fragments are not permitted in the URL");
  const query = /\?([^#]*)/.exec(rest)?.[1] ?? "";
  if (query !== "") problems.invalid(field, query, "query parameters are not permitted in the URL");
}

export function checkService(
  problems: FieldProblems,
  at: string,
  service: DeepReadonly<ServiceReference>,
): void {
  // the server checks the two in each other's place
  if (!service.namespace) problems.required(`${at}.name`);
  if (!service.name) problems.required(`${at}.namespace`);
  const port = service.port ?? 443;
  if (port < 1 || port > 65535)
    problems.invalid(`${at}.port`, port, "port is not valid: must be between 1 and 65535, inclusive");
  if (service.path !== undefined) checkPath(problems, `${at}.path`, service.path);
}

function checkPath(problems: FieldProblems, field: string, path: string): void {
  if (path === "" || path === "/") return;
  if (path === "//") return problems.invalid(field, path, "segment[0] may not be empty");
  if (!path.startsWith("/")) problems.invalid(field, path, "must start with a '/'");
  path
    .slice(1)
    .replace(/\/$/, "")
    .split("/")
    .forEach((step, i) => {
      if (step === "") return problems.invalid(field, path, `segment[${i}] may not be empty`);
      for (const text of dns1123SubdomainErrors(step))
        problems.invalid(field, path, `segment[${i}]: ${text}`);
    });
}

function checkReviewVersions(problems: FieldProblems, field: string, versions: readonly string[]): void {
  if (versions.length === 0) return problems.required(field, "must specify one of v1, v1beta1");
  versions.forEach((version, i) => {
    if (versions.indexOf(version) < i) problems.invalid(`${field}[${i}]`, version, "duplicate version");
    else problems.allInvalid(`${field}[${i}]`, version, dns1035LabelErrors(version));
  });
  if (!versions.includes("v1") && !versions.includes("v1beta1"))
    problems.invalid(field, versions, "must include at least one of v1, v1beta1");
}

function errorsOf(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const webhooks = (object["webhooks"] ?? []) as readonly DeepReadonly<MutatingWebhook>[];
  webhooks.forEach((webhook, i) => {
    checkWebhook(problems, `webhooks[${i}]`, webhook);
    if (webhook.name && webhooks.findIndex((other) => other.name === webhook.name) < i)
      problems.duplicate(`webhooks[${i}].name`, webhook.name);
  });
  return problems.list;
}

export function webhookConfigurationRules(options: { readonly mutating: boolean }): BuiltinRules {
  return {
    allowUnconditionalUpdate: false,
    generation: (object, old) => !same(object["webhooks"], old["webhooks"]),
    defaults: (object) =>
      mapItems(object, "webhooks", (webhook: Fields) => defaultWebhook(webhook, options.mutating)),
    validateCreate: errorsOf,
    validateUpdate: errorsOf,
  };
}
