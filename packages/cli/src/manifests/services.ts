/** How others reach the manager: Services, certificates, network policies, monitoring. */
import { metricsPort, webhookPort } from "./manager.ts";
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

const metricsServiceSuffix = "controller-manager-metrics-service";

function metadata(model: DeploymentModel, suffix: string): Manifest["metadata"] {
  return { name: nameOf(model, suffix), namespace: model.namespace, labels: labelsOf(model) };
}

export function metricsService(model: DeploymentModel): Manifest {
  const port = { name: "https", port: metricsPort, protocol: "TCP", targetPort: metricsPort };
  const manifest = service(model, metricsServiceSuffix, port);
  // by these a ServiceMonitor finds it, and not the webhooks' one
  const labels = { ...manifest.metadata.labels, ...podLabels(model) };
  return { ...manifest, metadata: { ...manifest.metadata, labels } };
}

export function webhookService(model: DeploymentModel): Manifest | undefined {
  if (!hasWebhooks(model.operator)) return undefined;
  return service(model, webhookServiceSuffix, { port: 443, protocol: "TCP", targetPort: webhookPort });
}

function service(model: DeploymentModel, suffix: string, port: object): Manifest {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadata(model, suffix),
    spec: { ports: [port], selector: podLabels(model) },
  };
}

/** Empty without cert-manager. */
export function certificates(model: DeploymentModel): Manifest[] {
  if (!model.certManager) return [];
  const issuerRef = { kind: "Issuer", name: nameOf(model, "selfsigned-issuer") };
  const certificate = (suffix: string, serviceName: string, secretSuffix: string): Manifest => ({
    apiVersion: "cert-manager.io/v1",
    kind: "Certificate",
    metadata: metadata(model, suffix),
    spec: {
      dnsNames: [
        `${serviceName}.${model.namespace}.svc`,
        `${serviceName}.${model.namespace}.svc.cluster.local`,
      ],
      issuerRef,
      secretName: nameOf(model, secretSuffix),
    },
  });
  return [
    {
      apiVersion: "cert-manager.io/v1",
      kind: "Issuer",
      metadata: metadata(model, "selfsigned-issuer"),
      spec: { selfSigned: {} },
    },
    ...(hasWebhooks(model.operator)
      ? [certificate("serving-cert", nameOf(model, webhookServiceSuffix), webhookSecretSuffix)]
      : []),
    certificate("metrics-certs", nameOf(model, metricsServiceSuffix), metricsSecretSuffix),
  ];
}

/** Lets only labelled namespaces read metrics, and everybody who may (the API server) call webhooks. */
export function networkPolicies(model: DeploymentModel): { file: string; manifest: Manifest }[] {
  const policy = (suffix: string, ingress: object): Manifest => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: metadata(model, suffix),
    spec: { podSelector: { matchLabels: podLabels(model) }, policyTypes: ["Ingress"], ingress: [ingress] },
  });
  return [
    {
      file: "allow-metrics-traffic.yaml",
      manifest: policy("allow-metrics-traffic", {
        from: [{ namespaceSelector: { matchLabels: { metrics: "enabled" } } }],
        ports: [{ port: metricsPort, protocol: "TCP" }],
      }),
    },
    ...(hasWebhooks(model.operator)
      ? [
          {
            file: "allow-webhook-traffic.yaml",
            // the API server comes from no pod, so no selector can name it
            manifest: policy("allow-webhook-traffic", { ports: [{ port: webhookPort, protocol: "TCP" }] }),
          },
        ]
      : []),
  ];
}

/** For clusters with the Prometheus operator; not part of the default installation. */
export function serviceMonitor(model: DeploymentModel): Manifest {
  const tlsConfig = model.certManager
    ? {
        serverName: `${nameOf(model, metricsServiceSuffix)}.${model.namespace}.svc`,
        ca: { secret: { name: nameOf(model, metricsSecretSuffix), key: "ca.crt" } },
      }
    : { insecureSkipVerify: true };
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: metadata(model, "controller-manager-metrics-monitor"),
    spec: {
      endpoints: [
        {
          path: "/metrics",
          port: "https",
          scheme: "https",
          bearerTokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token",
          tlsConfig,
        },
      ],
      selector: { matchLabels: podLabels(model) },
    },
  };
}
