/** The CustomResourceDefinitions of an operator. */
import { crdManifest } from "@bowline/api";
import { conversionOf } from "@bowline/runtime";
import { type DeploymentModel, type Manifest, conversionsOf, nameOf, webhookServiceSuffix } from "./model.ts";

/**
 * One per kind. With cert-manager the conversion of a converted kind is written here and its certificate is injected;
 * without, the manager writes both when it starts, because only it has the certificate.
 */
export function crdManifests(model: DeploymentModel): Manifest[] {
  const { namespace } = model;
  return model.operator.kinds.map((kind) => {
    const manifest = crdManifest(kind);
    const { group, names } = manifest.spec;
    const isConverted = conversionsOf(model.operator).some(
      (each) => each.kind.group === group && each.kind.plural === names.plural,
    );
    if (!isConverted || !model.certManager) return manifest as unknown as Manifest;
    const reach = { service: { namespace, name: nameOf(model, webhookServiceSuffix) } };
    const annotations = { ...manifest.metadata.annotations, ...injectCa(model) };
    return {
      ...manifest,
      metadata: { ...manifest.metadata, annotations },
      spec: {
        ...manifest.spec,
        conversion: conversionOf({ name: model.projectName, reach, caBundlePem: "" }),
      },
    } as unknown as Manifest;
  });
}

/** Tells cert-manager to put the authority of the webhook certificate in. */
export function injectCa(model: DeploymentModel): Record<string, string> {
  return { "cert-manager.io/inject-ca-from": `${model.namespace}/${nameOf(model, "serving-cert")}` };
}
