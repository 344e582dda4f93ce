/** Webhooks as a ClusterServiceVersion describes them: OLM makes the Service, the certificate and the configurations. */
import { conversionOf, webhookConfigurations } from "@bowline/runtime";
import { webhookPort } from "../manifests/manager.ts";
import { type DeploymentModel, admissionsOf, conversionsOf, nameOf } from "../manifests/model.ts";

interface Webhook {
  readonly name: string;
  readonly clientConfig: { readonly service: { readonly path: string } };
  readonly [field: string]: unknown;
}

export function webhookDefinitions(model: DeploymentModel): object[] {
  const { operator } = model;
  // only the paths count: where the Service is, OLM decides
  const reach = { service: { namespace: model.namespace, name: "webhooks" } };
  const options = { name: operator.name, reach, caBundlePem: "" };
  const common = {
    deploymentName: nameOf(model, "controller-manager"),
    containerPort: 443,
    targetPort: webhookPort,
  };
  const admissions = webhookConfigurations(admissionsOf(operator), options).flatMap(({ kind, webhooks }) =>
    (webhooks as Webhook[]).map(({ name, clientConfig, ...webhook }) => ({
      ...webhook,
      ...common,
      type: kind.replace("WebhookConfiguration", "AdmissionWebhook"),
      generateName: name,
      webhookPath: clientConfig.service.path,
    })),
  );
  const conversion = conversionOf(options) as { webhook: Webhook };
  const conversions = conversionsOf(operator).map(({ kind }) => ({
    ...common,
    type: "ConversionWebhook",
    generateName: `c${kind.plural}.${kind.group}`,
    admissionReviewVersions: ["v1"],
    conversionCRDs: [`${kind.plural}.${kind.group}`],
    sideEffects: "None",
    webhookPath: conversion.webhook.clientConfig.service.path,
  }));
  return [...admissions, ...conversions];
}
