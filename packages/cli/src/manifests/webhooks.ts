/** Webhook configurations that are written ahead, for clusters with cert-manager. */
import { webhookConfigurations } from "@bowline/runtime";
import { injectCa } from "./crds.ts";
import {
  type DeploymentModel,
  type Manifest,
  admissionsOf,
  labelsOf,
  nameOf,
  webhookServiceSuffix,
} from "./model.ts";

/** Empty without cert-manager: the manager then writes them itself, together with the certificate that only it has. */
export function webhookManifests(model: DeploymentModel): Manifest[] {
  if (!model.certManager) return [];
  const reach = { service: { namespace: model.namespace, name: nameOf(model, webhookServiceSuffix) } };
  const { name } = model.operator;
  return webhookConfigurations(admissionsOf(model.operator), { name, reach, caBundlePem: "" }).map(
    (manifest) => ({
      ...manifest,
      metadata: { ...manifest.metadata, annotations: injectCa(model), labels: labelsOf(model) },
    }),
  );
}

/** What the manager writes itself when it starts, without cert-manager, and what is left when it is gone. */
export function managersOwnManifests(model: DeploymentModel): Manifest[] {
  if (model.certManager) return [];
  const reach = { service: { namespace: model.namespace, name: nameOf(model, webhookServiceSuffix) } };
  const { name } = model.operator;
  const admissions = admissionsOf(model.operator);
  return webhookConfigurations(admissions, { name, reach, caBundlePem: "" }) as unknown as Manifest[];
}
