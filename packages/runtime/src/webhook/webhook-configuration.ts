import { type DeepReadonly, type KubeObject, isNotFound } from "@bowline/api";
import type { Client } from "@bowline/client";
import type { ConversionDefinition } from "./define-conversion.ts";
import type { WebhookDefinition } from "./define-webhook.ts";
import { conversionPath } from "./webhook-router.ts";

/** How the API server reaches the webhooks: a Service in the cluster, or a URL (a process outside of it). */
export type WebhookReach =
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number } }
  | { readonly url: string };

export interface ConfigurationOptions {
  /** Names of the objects begin with it. */
  readonly name: string;
  readonly reach: WebhookReach;
  /** PEM; empty: left to someone else, such as cert-manager. */
  readonly caBundlePem: string;
}

/** Source: admissionregistration.k8s.io/v1. */
interface WebhookConfiguration extends KubeObject {
  webhooks: object[];
}

/** The manifests that make the API server call the webhooks. */
export function webhookConfigurations(
  definitions: readonly WebhookDefinition[],
  options: ConfigurationOptions,
): WebhookConfiguration[] {
  const sorted = definitions.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const mutating = sorted.flatMap((d) =>
    d.mutatePath === undefined ? [] : [entry(d, d.mutatePath, "m", options)],
  );
  const validating = sorted.flatMap((d) =>
    d.validatePath === undefined ? [] : [entry(d, d.validatePath, "v", options)],
  );
  return [
    ...(mutating.length === 0
      ? []
      : [configuration("MutatingWebhookConfiguration", `${options.name}-mutating`, mutating)]),
    ...(validating.length === 0
      ? []
      : [configuration("ValidatingWebhookConfiguration", `${options.name}-validating`, validating)]),
  ];
}

/** `spec.conversion` of the CustomResourceDefinition of a converted kind. */
export function conversionOf(options: ConfigurationOptions): object {
  return {
    strategy: "Webhook",
    webhook: { clientConfig: clientConfig(options, conversionPath), conversionReviewVersions: ["v1"] },
  };
}

function configuration(kind: string, name: string, webhooks: object[]): WebhookConfiguration {
  return { apiVersion: "admissionregistration.k8s.io/v1", kind, metadata: { name }, webhooks };
}

function entry(
  definition: WebhookDefinition,
  path: string,
  prefix: "m" | "v",
  options: ConfigurationOptions,
): object {
  const { kind, options: own } = definition;
  const operations = prefix === "m" ? ["CREATE", "UPDATE"] : validatedOperations(definition);
  return {
    name: `${prefix}${nameOf(definition)}`,
    admissionReviewVersions: ["v1"],
    clientConfig: clientConfig(options, path),
    failurePolicy: own.failurePolicy ?? "Fail",
    matchPolicy: own.matchPolicy ?? "Equivalent",
    sideEffects: own.sideEffects ?? "None",
    timeoutSeconds: own.timeoutSeconds ?? 10,
    ...(prefix === "m" && own.reinvocationPolicy !== undefined
      ? { reinvocationPolicy: own.reinvocationPolicy }
      : {}),
    rules: [{ apiGroups: [kind.group], apiVersions: [kind.version], operations, resources: [kind.plural] }],
  };
}

function validatedOperations({ options }: WebhookDefinition): string[] {
  return [
    ...(options.validateCreate === undefined ? [] : ["CREATE"]),
    ...(options.validateUpdate === undefined ? [] : ["UPDATE"]),
    ...(options.validateDelete === undefined ? [] : ["DELETE"]),
  ];
}

/** `application-v1.example.com`: at least three parts, as the API server demands. */
function nameOf({ kind }: WebhookDefinition): string {
  return `${kind.kind.toLowerCase()}-${kind.version}.${kind.group === "" ? "core.kubernetes.io" : kind.group}`;
}

function clientConfig(options: ConfigurationOptions, path: string): object {
  const { reach, caBundlePem } = options;
  const caBundle = caBundlePem === "" ? {} : { caBundle: Buffer.from(caBundlePem).toString("base64") };
  if ("url" in reach) return { url: `${reach.url.replace(/\/$/, "")}${path}`, ...caBundle };
  const { namespace, name, port = 443 } = reach.service;
  return { service: { namespace, name, port, path }, ...caBundle };
}

const crdRef = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" } as const;

/** Writes the configurations, and the conversion of the kinds' CustomResourceDefinitions, into the cluster. */
export async function registerWebhooks(
  client: Client,
  definitions: readonly (WebhookDefinition | ConversionDefinition)[],
  options: ConfigurationOptions,
): Promise<void> {
  for (const manifest of webhookConfigurations(admissions(definitions), options)) {
    const write = { fieldManager: options.name, force: true };
    await client.apply(
      manifest,
      manifest as unknown as DeepReadonly<KubeObject> & Record<string, unknown>,
      write,
    );
  }
  for (const definition of definitions) {
    if (definition.type !== "conversion") continue;
    const { group, plural } = definition.kind;
    const merge = { spec: { conversion: conversionOf(options) } };
    await client.patch(crdRef, { name: `${plural}.${group}` }, { merge }, { fieldManager: options.name });
  }
}

/** Takes back what `registerWebhooks` wrote: a process that goes away must not leave the cluster waiting for it. */
export async function unregisterWebhooks(
  client: Client,
  definitions: readonly (WebhookDefinition | ConversionDefinition)[],
  options: ConfigurationOptions,
): Promise<void> {
  for (const manifest of webhookConfigurations(admissions(definitions), options)) {
    try {
      await client.delete(manifest, manifest);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

function admissions(definitions: readonly (WebhookDefinition | ConversionDefinition)[]): WebhookDefinition[] {
  return definitions.filter((definition) => definition.type === "admission");
}
