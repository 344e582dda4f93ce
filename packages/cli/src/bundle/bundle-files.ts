/** An OLM bundle (registry+v1) of an operator, from the same model as its other manifests. */
import { encodeYaml } from "@bowline/api";
import { crdManifests } from "../manifests/crds.ts";
import type { DeploymentModel, Manifest } from "../manifests/model.ts";
import { rbacManifests } from "../manifests/rbac.ts";
import { metricsService } from "../manifests/services.ts";
import type { PlannedFile } from "../scaffold/write-files.ts";
import { type CsvBase, clusterServiceVersion, csvBase } from "./cluster-service-version.ts";

export interface BundleOptions {
  /** `1.2.0`. */
  readonly version: string;
  readonly packageName: string;
  readonly channels: readonly string[];
  readonly defaultChannel: string;
  /** Name of the version that this one replaces: `shop.v1.1.0`. */
  readonly replaces?: string;
  /** Sample objects, as examples. */
  readonly samples: readonly object[];
  /** What people have written about the operator; the beginning of it when they have not yet. */
  readonly base: CsvBase;
}

/** Where people write what no program knows: description, icon, maintainers. */
export function baseFile(model: DeploymentModel): PlannedFile {
  const { projectName } = model;
  const text = `# What a catalogue shows of the operator. It is yours: bowline bundle puts the rest beside it.
${encodeYaml(csvBase(projectName) as never)}`;
  return { path: `config/manifests/bases/${projectName}.clusterserviceversion.yaml`, text, once: true };
}

/** @param folder of the bundle, `bundle` */
export function bundleFiles(model: DeploymentModel, folder: string, options: BundleOptions): PlannedFile[] {
  const { projectName } = model;
  const csv = clusterServiceVersion(model, options);
  const file = (path: string, manifest: object): PlannedFile => ({
    path: `${folder}/manifests/${path}.yaml`,
    text: encodeYaml(manifest as never),
    generated: true,
  });
  const annotations = bundleAnnotations(options);
  return [
    file(`${projectName}.clusterserviceversion`, csv),
    ...crdManifests({ ...model, certManager: false }).map((crd) => file(crdFile(crd), crd)),
    ...extraManifests(model).map((manifest) => file(extraFile(manifest), manifest)),
    {
      path: `${folder}/metadata/annotations.yaml`,
      text: encodeYaml({ annotations } as never),
      generated: true,
    },
    { path: "bundle.Dockerfile", text: dockerfile(folder, annotations), generated: true },
  ];
}

/** Objects beside the CSV; OLM puts them into the namespace that the operator is installed into. */
function extraManifests(model: DeploymentModel): Manifest[] {
  const { namespace: _, ...metadata } = metricsService(model).metadata;
  const roles = rbacManifests(model)
    .map(({ manifest }) => manifest)
    .filter(({ kind, metadata: { name = "" } }) => {
      return kind === "ClusterRole" && /-(?:metrics-reader|(?:admin|editor|viewer)-role)$/.test(name);
    });
  return [{ ...metricsService(model), metadata }, ...roles];
}

function extraFile({ kind, metadata: { name = "" } }: Manifest): string {
  return kind === "Service" ? `${name}_v1_service` : `${name}_rbac.authorization.k8s.io_v1_clusterrole`;
}

/** `apps.example.com_widgets`. */
function crdFile({ metadata: { name = "" } }: Manifest): string {
  const [plural = "", ...group] = name.split(".");
  return `${group.join(".")}_${plural}`;
}

function bundleAnnotations(options: BundleOptions): Record<string, string> {
  const prefix = "operators.operatorframework.io.bundle";
  return {
    [`${prefix}.mediatype.v1`]: "registry+v1",
    [`${prefix}.manifests.v1`]: "manifests/",
    [`${prefix}.metadata.v1`]: "metadata/",
    [`${prefix}.package.v1`]: options.packageName,
    [`${prefix}.channels.v1`]: options.channels.join(","),
    [`${prefix}.channel.default.v1`]: options.defaultChannel,
  };
}

function dockerfile(folder: string, annotations: Record<string, string>): string {
  const labels = Object.entries(annotations).map(([name, value]) => `LABEL ${name}=${value}\n`);
  return `FROM scratch
${labels.join("")}COPY ${folder}/manifests /manifests/
COPY ${folder}/metadata /metadata/
`;
}
