/** Namespace, Deployment and what keeps it available. */
import {
  type DeploymentModel,
  type Manifest,
  hasWebhooks,
  labelsOf,
  metricsSecretSuffix,
  nameOf,
  podLabels,
  webhookSecretSuffix,
  webhookServiceSuffix,
} from "./model.ts";

export const metricsPort = 8443;
export const webhookPort = 9443;
const probePort = 8081;

export const webhookCertificates = "/tmp/k8s-webhook-server/serving-certs";
export const metricsCertificates = "/tmp/k8s-metrics-server/metrics-certs";

/** Its label makes the API server refuse pods that may do more than the restricted profile allows. */
export function namespaceManifest(model: DeploymentModel): Manifest {
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name: model.namespace,
      labels: {
        ...labelsOf(model),
        "control-plane": "controller-manager",
        "pod-security.kubernetes.io/enforce": "restricted",
      },
    },
  };
}

/** The command line of the manager. */
export function managerArgs(model: DeploymentModel): string[] {
  return [
    "--leader-elect",
    `--health-probe-bind-address=:${probePort}`,
    `--metrics-bind-address=:${metricsPort}`,
    ...(model.certManager ? [`--metrics-cert-path=${metricsCertificates}`] : []),
    ...(hasWebhooks(model.operator)
      ? [
          model.certManager
            ? `--webhook-cert-path=${webhookCertificates}`
            : `--webhook-service=${nameOf(model, webhookServiceSuffix)}`,
        ]
      : []),
  ];
}

/** As the restricted profile of pod security wants it. */
const podSecurity = { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } };
const containerSecurity = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  readOnlyRootFilesystem: true,
};
// Node holds some 60 MiB before it has done anything
const containerResources = {
  limits: { cpu: "500m", memory: "256Mi" },
  requests: { cpu: "10m", memory: "96Mi" },
};
const graceSeconds = 40;

/** What a chart makes values of. */
export const managerPodDefaults: {
  readonly securityContext: object;
  readonly terminationGracePeriodSeconds: number;
  readonly container: { readonly securityContext: object; readonly resources: object };
} = {
  securityContext: podSecurity,
  terminationGracePeriodSeconds: graceSeconds,
  container: { securityContext: containerSecurity, resources: containerResources },
};

export function managerDeployment(model: DeploymentModel): Manifest {
  const labels = podLabels(model);
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: nameOf(model, "controller-manager"),
      namespace: model.namespace,
      labels: { ...labelsOf(model), ...labels },
    },
    spec: {
      replicas: model.replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: { "kubectl.kubernetes.io/default-container": "manager" } },
        spec: {
          serviceAccountName: nameOf(model, "controller-manager"),
          securityContext: podSecurity,
          terminationGracePeriodSeconds: graceSeconds,
          ...(model.replicas > 1 ? { topologySpreadConstraints: spread(labels) } : {}),
          containers: [container(model)],
          ...volumesOf(model),
        },
      },
    },
  };
}

function container(model: DeploymentModel): object {
  const mounts = certificateVolumes(model).map(({ name, path }) => ({
    name,
    mountPath: path,
    readOnly: true,
  }));
  return {
    name: "manager",
    image: model.image,
    args: managerArgs(model),
    ...(model.namespaced
      ? { env: [{ name: "WATCH_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } }] }
      : {}),
    ports: [
      { name: "probes", containerPort: probePort, protocol: "TCP" },
      { name: "metrics", containerPort: metricsPort, protocol: "TCP" },
      ...(hasWebhooks(model.operator)
        ? [{ name: "webhook-server", containerPort: webhookPort, protocol: "TCP" }]
        : []),
    ],
    livenessProbe: probe("/healthz", 15, 20),
    readinessProbe: probe("/readyz", 5, 10),
    resources: containerResources,
    securityContext: containerSecurity,
    ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
  };
}

function probe(path: string, initialDelaySeconds: number, periodSeconds: number): object {
  return { httpGet: { path, port: "probes" }, initialDelaySeconds, periodSeconds };
}

/** Certificates that cert-manager keeps in Secrets. */
function certificateVolumes(model: DeploymentModel): { name: string; path: string; secretName: string }[] {
  if (!model.certManager) return [];
  return [
    ...(hasWebhooks(model.operator)
      ? [{ name: "webhook-certs", path: webhookCertificates, secretName: nameOf(model, webhookSecretSuffix) }]
      : []),
    { name: "metrics-certs", path: metricsCertificates, secretName: nameOf(model, metricsSecretSuffix) },
  ];
}

function volumesOf(model: DeploymentModel): object {
  const volumes = certificateVolumes(model).map(({ name, secretName }) => ({ name, secret: { secretName } }));
  return volumes.length === 0 ? {} : { volumes };
}

/** Over zones first, then over machines, as far as there are any. */
function spread(matchLabels: Record<string, string>): object[] {
  return ["topology.kubernetes.io/zone", "kubernetes.io/hostname"].map((topologyKey) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector: { matchLabels },
  }));
}

/** Only with several replicas: a budget for a single one would hold up every drain of its machine. */
export function disruptionBudget(model: DeploymentModel): Manifest | undefined {
  if (model.replicas < 2) return undefined;
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: {
      name: nameOf(model, "controller-manager"),
      namespace: model.namespace,
      labels: labelsOf(model),
    },
    spec: { maxUnavailable: 1, selector: { matchLabels: podLabels(model) } },
  };
}
