/**
 * The ClusterServiceVersion: what OLM installs, and what a catalogue shows. Source: operator-framework/api
 * pkg/operators/v1alpha1 (clusterserviceversion_types.go).
 */
import type { Permission } from "@bowline/runtime";
import { managerDeployment, webhookCertificates } from "../manifests/manager.ts";
import { type DeploymentModel, type Manifest, hasWebhooks, nameOf } from "../manifests/model.ts";
import { rbacManifests } from "../manifests/rbac.ts";
import type { BundleOptions } from "./bundle-files.ts";
import { minKubeVersion, ownedKinds } from "./owned-kinds.ts";
import { webhookDefinitions } from "./webhook-definitions.ts";

/** What people write. */
export interface CsvBase {
  readonly metadata?: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

const api = { apiVersion: "operators.coreos.com/v1alpha1", kind: "ClusterServiceVersion" } as const;

/** The beginning of a base, with the fields that catalogues want. */
export function csvBase(projectName: string): CsvBase {
  return {
    ...api,
    metadata: {
      name: `${projectName}.v0.0.0`,
      annotations: { capabilities: "Basic Install", categories: "Application Runtime" },
    },
    spec: {
      displayName: projectName,
      description: `The operator ${projectName}.`,
      keywords: [projectName],
      links: [],
      maintainers: [],
      maturity: "alpha",
      provider: { name: "" },
    },
  };
}

export function clusterServiceVersion(model: DeploymentModel, options: BundleOptions): Manifest {
  const { base, version } = options;
  const names = { name: `${model.projectName}.v${version}` };
  return {
    ...api,
    metadata: {
      ...base.metadata,
      ...names,
      annotations: {
        ...base.metadata?.annotations,
        "alm-examples": JSON.stringify(options.samples, undefined, 2),
        containerImage: model.image,
      },
    },
    spec: {
      ...base.spec,
      apiservicedefinitions: {},
      customresourcedefinitions: { owned: ownedKinds(model.operator) },
      install: {
        strategy: "deployment",
        spec: { deployments: [deployment(model)], ...permissions(model) },
      },
      installModes: installModes(model),
      minKubeVersion: minKubeVersion(model),
      relatedImages: [{ name: "manager", image: model.image }],
      ...(options.replaces === undefined ? {} : { replaces: options.replaces }),
      version,
      ...(hasWebhooks(model.operator) ? { webhookdefinitions: webhookDefinitions(model) } : {}),
    },
  } as unknown as Manifest;
}

/** OLM keeps certificates of webhooks itself, and puts them where the manager looks for those of cert-manager. */
function deployment(model: DeploymentModel): object {
  const { metadata, spec } = managerDeployment({ ...model, certManager: false }) as Manifest & {
    spec: { template: { spec: { containers: Container[] } } };
  };
  const pod = spec.template.spec;
  const containers = pod.containers.map((container) => ({
    ...container,
    args: container.args.map((arg) =>
      arg.startsWith("--webhook-service=") ? `--webhook-cert-path=${webhookCertificates}` : arg,
    ),
    ...(model.namespaced ? { env: [watchedNamespaces] } : {}),
  }));
  return {
    name: metadata.name,
    label: metadata.labels,
    spec: { ...spec, template: { ...spec.template, spec: { ...pod, containers } } },
  };
}

interface Container {
  readonly args: readonly string[];
  readonly [field: string]: unknown;
}

/** OLM writes there which namespaces the operator is for. */
const watchedNamespaces = {
  name: "WATCH_NAMESPACE",
  valueFrom: { fieldRef: { fieldPath: "metadata.annotations['olm.targetNamespaces']" } },
};

/** What the roles that are bound to the manager's account allow. */
function permissions(model: DeploymentModel): object {
  const serviceAccountName = nameOf(model, "controller-manager");
  const manifests = rbacManifests({ ...model, certManager: true }).map(({ manifest }) => manifest);
  const bound = new Set(
    manifests
      .filter((manifest) => manifest.kind.endsWith("RoleBinding"))
      .map((manifest) => (manifest["roleRef"] as { name: string }).name),
  );
  const rules = (kind: string): Permission[] =>
    manifests
      .filter((manifest) => manifest.kind === kind && bound.has(manifest.metadata.name ?? ""))
      .flatMap((manifest) => manifest["rules"] as Permission[]);
  const [cluster, own] = [rules("ClusterRole"), rules("Role")];
  return {
    ...(cluster.length === 0 ? {} : { clusterPermissions: [{ serviceAccountName, rules: cluster }] }),
    ...(own.length === 0 ? {} : { permissions: [{ serviceAccountName, rules: own }] }),
  };
}

function installModes(model: DeploymentModel): object[] {
  const supported = model.namespaced ? ["OwnNamespace", "SingleNamespace"] : ["AllNamespaces"];
  return ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"].map((type) => ({
    type,
    supported: supported.includes(type),
  }));
}
