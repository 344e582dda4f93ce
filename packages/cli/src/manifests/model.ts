/** What all manifests of an operator are made from. */
import type { KubeObject } from "@bowline/api";
import type { ConversionDefinition, OperatorDefinition, WebhookDefinition } from "@bowline/runtime";

/** A manifest: an object with whatever fields its kind has. */
export type Manifest = KubeObject & { readonly [field: string]: unknown };

/** An operator and how it is to be deployed. */
export interface DeploymentModel {
  readonly operator: OperatorDefinition;
  /** Begins the names of cluster-scoped objects: `shop`. */
  readonly projectName: string;
  /** `shop-system`. */
  readonly namespace: string;
  readonly image: string;
  readonly replicas: number;
  /** Certificates of webhooks and metrics come from cert-manager; else the manager makes those of its webhooks itself. */
  readonly certManager: boolean;
  /** It watches and writes in its own namespace only. */
  readonly namespaced: boolean;
}

/** Name of an object that belongs to the project: `shop-manager-role`. */
export function nameOf(model: DeploymentModel, suffix: string): string {
  return `${model.projectName}-${suffix}`;
}

/** Labels that every manifest has. */
export function labelsOf(model: DeploymentModel): Record<string, string> {
  return { "app.kubernetes.io/managed-by": "bowline", "app.kubernetes.io/name": model.projectName };
}

/** Labels of the manager's pods. */
export function podLabels(model: DeploymentModel): Record<string, string> {
  return { "app.kubernetes.io/name": model.projectName, "control-plane": "controller-manager" };
}

export function admissionsOf(operator: OperatorDefinition): WebhookDefinition[] {
  return (operator.webhooks ?? []).filter((webhook) => webhook.type === "admission");
}

export function conversionsOf(operator: OperatorDefinition): ConversionDefinition[] {
  return (operator.webhooks ?? []).filter((webhook) => webhook.type === "conversion");
}

export function hasWebhooks(operator: OperatorDefinition): boolean {
  return (operator.webhooks ?? []).length > 0;
}

export const webhookServiceSuffix = "webhook-service";
export const webhookSecretSuffix = "webhook-server-cert";
export const metricsSecretSuffix = "metrics-server-cert";
