/** The conversion of a CRD. Source: validation.go (validateCustomResourceConversion), apiserver pkg/util/webhook. */
import { dns1035LabelErrors, dns1123SubdomainErrors } from "../object/name.ts";
import { fieldChild, fieldKey } from "../status/field-error.ts";
import { caBundleError } from "./ca-bundle.ts";
import type { CrdConversion } from "./custom-resource-definition.ts";
import type { ErrorList } from "./error-list.ts";
import { parseUrl } from "./webhook-url.ts";

export interface ConversionRuleOptions {
  /** One of the versions of ConversionReview must be one that the server speaks. */
  readonly requireRecognizedVersion: boolean;
  readonly allowInvalidCaBundle: boolean;
}

type ClientConfig = NonNullable<NonNullable<CrdConversion["webhook"]>["clientConfig"]>;

export function checkConversion(
  conversion: CrdConversion | undefined,
  path: string,
  options: ConversionRuleOptions,
  list: ErrorList,
): void {
  if (conversion === undefined) return;
  const { strategy = "", webhook } = conversion;
  const place = fieldChild(path, "strategy");
  if (strategy === "") list.required(place);
  else if (strategy !== "None" && strategy !== "Webhook")
    list.notSupported(place, strategy, ["None", "Webhook"]);
  const configPlace = fieldChild(path, "webhookClientConfig");
  const versionsPlace = fieldChild(path, "conversionReviewVersions");
  const config = webhook?.clientConfig;
  const versions = webhook?.conversionReviewVersions ?? [];
  if (strategy !== "Webhook") {
    const detail = "should not be set when strategy is not set to Webhook";
    if (config !== undefined) list.forbidden(configPlace, detail);
    if (versions.length > 0) list.forbidden(versionsPlace, detail);
    return;
  }
  if (config === undefined) list.required(configPlace, "required when strategy is set to Webhook");
  else checkClientConfig(config, configPlace, options, list);
  checkReviewVersions(versions, versionsPlace, options, list);
}

function checkClientConfig(
  config: ClientConfig,
  path: string,
  options: ConversionRuleOptions,
  list: ErrorList,
): void {
  const { url, service, caBundle = "" } = config;
  if ((url === undefined) === (service === undefined)) {
    list.required(path, "exactly one of url or service is required");
  } else if (url !== undefined) checkUrl(url, fieldChild(path, "url"), list);
  else if (service !== undefined) checkService(service, fieldChild(path, "service"), list);
  if (caBundle === "" || options.allowInvalidCaBundle) return;
  const error = caBundleError(caBundle);
  if (error !== undefined) list.invalid(fieldChild(path, "caBundle"), caBundle, error);
}

function checkUrl(text: string, field: string, list: ErrorList): void {
  const form = "; desired format: https://host[/path]";
  const url = parseUrl(text);
  if ("error" in url) return list.required(field, `url must be a valid URL: ${url.error}${form}`);
  if (url.scheme !== "https")
    list.invalid(field, url.scheme, `'https' is the only allowed URL scheme${form}`);
  if (url.host === "") list.invalid(field, "", `host must be specified${form}`);
  if (url.user !== undefined) list.invalid(field, url.user, "user information is not permitted in the URL");
  if (url.fragment !== "") list.invalid(field, url.fragment, "fragments are not permitted in the URL");
  if (url.query !== "") list.invalid(field, url.query, "query parameters are not permitted in the URL");
}

function checkService(service: NonNullable<ClientConfig["service"]>, path: string, list: ErrorList): void {
  const { name = "", namespace = "", port = 0 } = service;
  // The server mixes up the two: a missing name is reported as a missing namespace.
  if (namespace === "") list.required(fieldChild(path, "name"));
  if (name === "") list.required(fieldChild(path, "namespace"));
  if (!(port >= 1 && port <= 65535)) {
    list.invalid(fieldChild(path, "port"), port, "port is not valid: must be between 1 and 65535, inclusive");
  }
  if (service.path !== undefined) checkServicePath(service.path, fieldChild(path, "path"), list);
}

function checkServicePath(urlPath: string, field: string, list: ErrorList): void {
  if (urlPath === "/" || urlPath === "") return;
  if (urlPath === "//") return list.invalid(field, urlPath, "segment[0] may not be empty");
  if (!urlPath.startsWith("/")) list.invalid(field, urlPath, "must start with a '/'");
  const steps = urlPath.slice(1).replace(/\/$/, "").split("/");
  for (const [i, step] of steps.entries()) {
    if (step === "") list.invalid(field, urlPath, `segment[${i}] may not be empty`);
    else
      for (const error of dns1123SubdomainErrors(step))
        list.invalid(field, urlPath, `segment[${i}]: ${error}`);
  }
}

function checkReviewVersions(
  versions: readonly string[],
  path: string,
  options: ConversionRuleOptions,
  list: ErrorList,
): void {
  if (versions.length === 0) return list.required(path);
  const seen = new Set<string>();
  for (const [i, version] of versions.entries()) {
    const place = fieldKey(path, i);
    if (seen.has(version)) {
      list.invalid(place, version, "duplicate version");
      continue;
    }
    seen.add(version);
    for (const error of dns1035LabelErrors(version)) list.invalid(place, version, error);
  }
  if (options.requireRecognizedVersion && !hasRecognizedVersion(versions)) {
    list.invalid(path, versions, "must include at least one of v1, v1beta1");
  }
}

export function hasRecognizedVersion(versions: readonly string[]): boolean {
  return versions.includes("v1") || versions.includes("v1beta1");
}
