/** All manifests of an operator, as one list and as a folder for kustomize. */
import { encodeYaml } from "@bowline/api";
import type { PlannedFile } from "../scaffold/write-files.ts";
import { crdManifests } from "./crds.ts";
import { disruptionBudget, managerDeployment, namespaceManifest } from "./manager.ts";
import type { DeploymentModel, Manifest } from "./model.ts";
import { rbacManifests } from "./rbac.ts";
import { certificates, metricsService, networkPolicies, serviceMonitor, webhookService } from "./services.ts";
import { webhookManifests } from "./webhooks.ts";

interface Part {
  /** Folder below `config`. */
  readonly folder: string;
  readonly file: string;
  readonly manifests: readonly Manifest[];
  /** False: written for those who want it, and not installed by default. */
  readonly isDefault: boolean;
}

/** Everything that is installed, in the order in which it is applied. */
export function allManifests(model: DeploymentModel): Manifest[] {
  return parts(model)
    .filter((part) => part.isDefault)
    .flatMap((part) => part.manifests);
}

/** The folder `config`, and `deploy/install.yaml` with everything in one file. */
export function layoutFiles(model: DeploymentModel, samples: readonly string[]): PlannedFile[] {
  const all = parts(model);
  const folders = [...new Set(all.map((part) => part.folder))];
  const kustomizations = folders.map((folder) =>
    kustomization(
      `config/${folder}`,
      all.filter((part) => part.folder === folder).map((part) => part.file),
    ),
  );
  const defaults = [...new Set(all.filter((part) => part.isDefault).map((part) => part.folder))];
  return [
    ...all.map((part) => generated(`config/${part.folder}/${part.file}`, documents(part.manifests))),
    ...kustomizations,
    kustomization(
      "config/default",
      defaults.map((folder) => `../${folder}`),
    ),
    ...(samples.length === 0 ? [] : [kustomization("config/samples", samples)]),
    generated("deploy/install.yaml", documents(allManifests(model))),
  ];
}

/** Several objects as one text. */
export function documents(manifests: readonly Manifest[]): string {
  return manifests.map((manifest) => encodeYaml(manifest as never)).join("---\n");
}

function parts(model: DeploymentModel): Part[] {
  const one = (folder: string, file: string, ...manifests: (Manifest | undefined)[]): Part => ({
    folder,
    file,
    manifests: manifests.filter((manifest) => manifest !== undefined),
    isDefault: true,
  });
  const all = [
    ...crdManifests(model).map((crd) => one("crd", `bases/${fileOfCrd(crd)}`, crd)),
    one("manager", "namespace.yaml", namespaceManifest(model)),
    ...rbacManifests(model).map(({ file, manifest }) => one("rbac", file, manifest)),
    one("manager", "manager.yaml", managerDeployment(model)),
    one("manager", "disruption_budget.yaml", disruptionBudget(model)),
    one("manager", "metrics_service.yaml", metricsService(model)),
    one("webhook", "service.yaml", webhookService(model)),
    one("webhook", "manifests.yaml", ...webhookManifests(model)),
    one("certmanager", "certificates.yaml", ...certificates(model)),
    ...networkPolicies(model).map(({ file, manifest }) => one("network-policy", file, manifest)),
    { ...one("prometheus", "monitor.yaml", serviceMonitor(model)), isDefault: false },
  ];
  return all.filter((part) => part.manifests.length > 0);
}

/** `applications.example.com` is `example.com_applications.yaml`. */
function fileOfCrd(crd: Manifest): string {
  const [plural, ...group] = (crd.metadata.name ?? "").split(".");
  return `${group.join(".")}_${plural}.yaml`;
}

function kustomization(folder: string, resources: readonly string[]): PlannedFile {
  const lines = resources.map((resource) => `- ${resource}\n`).join("");
  const text = `apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n${lines}`;
  return generated(`${folder}/kustomization.yaml`, text);
}

function generated(path: string, text: string): PlannedFile {
  return { path, text, generated: true };
}
