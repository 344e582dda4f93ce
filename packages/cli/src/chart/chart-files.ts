/** A Helm chart of an operator, from the same model as its other manifests. */
import { encodeYaml } from "@bowline/api";
import { crdManifests } from "../manifests/crds.ts";
import { disruptionBudget } from "../manifests/manager.ts";
import { type DeploymentModel, type Manifest } from "../manifests/model.ts";
import { type NamedManifest, rbacManifests } from "../manifests/rbac.ts";
import {
  certificates,
  metricsService,
  networkPolicies,
  serviceMonitor,
  webhookService,
} from "../manifests/services.ts";
import { webhookManifests } from "../manifests/webhooks.ts";
import type { PlannedFile } from "../scaffold/write-files.ts";
import { chartYaml, helmIgnore, helpers, notes, valuesYaml } from "./chart-text.ts";
import { managerTemplate } from "./manager-template.ts";
import { expressions, markedModel, templateOf } from "./templating.ts";

const metrics = ".Values.metrics.enabled";
const secureMetrics = `(and ${metrics} .Values.metrics.secure)`;
const webhooks = ".Values.webhook.enabled";
const certManager = ".Values.certManager.enabled";

/**
 * All files of the chart below `folder`. Chart.yaml, NOTES.txt and .helmignore are written once and then belong to whoever
 * publishes the chart.
 * @param version of the chart, when it is written for the first time
 */
export function chartFiles(model: DeploymentModel, folder: string, version: string): PlannedFile[] {
  const chart = model.projectName;
  const once = (file: string, text: string): PlannedFile => ({ path: `${folder}/${file}`, text, once: true });
  const generated = (file: string, text: string): PlannedFile => ({
    path: `${folder}/${file}`,
    text,
    generated: true,
    template: file.startsWith("templates/"),
  });
  const templates = [
    ...crdTemplates(chart, model),
    ...rbacTemplates(chart, model),
    ...serviceTemplates(chart, model),
    ["manager/manager.yaml", managerTemplate(chart, model)] as const,
    ["manager/disruption-budget.yaml", budgetTemplate(chart, model)] as const,
  ];
  return [
    once("Chart.yaml", chartYaml(chart, version)),
    once(".helmignore", helmIgnore),
    once("templates/NOTES.txt", notes()),
    generated("values.yaml", valuesYaml(model)),
    generated("templates/_helpers.tpl", helpers(chart)),
    ...templates.map(([file, text]) => generated(`templates/${file}`, text)),
  ];
}

type Template = readonly [file: string, text: string];

function guarded(condition: string, text: string): string {
  return `{{- if ${condition} }}\n${text}{{- end }}\n`;
}

/** A conversion webhook is only written here with cert-manager; else the manager registers itself. */
function crdTemplates(chart: string, model: DeploymentModel): Template[] {
  const plain = crdManifests(markedModel(model, false));
  return crdManifests(markedModel(model, true)).map((injected, i) => {
    const { metadata, spec, ...head } = plain[i] as Manifest & { spec: object };
    const annotations = injected.metadata.annotations ?? {};
    const own = (metadata as Manifest["metadata"]).annotations ?? {};
    const added = Object.fromEntries(Object.entries(annotations).filter(([key]) => !(key in own)));
    const { conversion } = injected["spec"] as { conversion?: object };
    const isConverted = Object.keys(added).length > 0;
    const text = `${encodeYaml(head as never)}metadata:
  name: ${metadata.name}
  annotations:
    {{- if .Values.crd.keep }}
    helm.sh/resource-policy: keep
    {{- end }}
${isConverted ? `    {{- if ${certManager} }}\n${yaml(chart, added, 4)}    {{- end }}\n` : ""}${yaml(chart, own, 4)}spec:
${isConverted ? `  {{- if ${certManager} }}\n${yaml(chart, { conversion }, 2)}  {{- end }}\n` : ""}${yaml(chart, spec, 2)}`;
    return [`crd/${metadata.name}.yaml`, guarded(".Values.crd.enabled", text)];
  });
}

function yaml(chart: string, value: object, spaces: number): string {
  if (Object.keys(value).length === 0) return "";
  const text = encodeYaml(value as never).replace(/^(?=.)/gm, " ".repeat(spaces));
  return expressions(chart, text);
}

function rbacTemplates(chart: string, model: DeploymentModel): Template[] {
  // without cert-manager there are all roles that there may be; scopes become a choice below
  const all = rbacManifests({ ...markedModel(model, false), namespaced: false });
  return all.map((named): Template => {
    const name = shortName(named);
    const text = templateOf(chart, named.manifest);
    return [`rbac/${name}.yaml`, rbacTemplate(name, text)];
  });
}

function rbacTemplate(name: string, text: string): string {
  if (name === "controller-manager") return serviceAccountTemplate(text);
  if (name === "manager-role" || name === "manager-rolebinding") return scopedTemplate(text);
  if (/-(?:admin|editor|viewer)-role$/.test(name)) return guarded(".Values.rbac.helpers.enabled", text);
  if (name.startsWith("metrics-")) return guarded(secureMetrics, text);
  if (name.startsWith("webhook-")) return guarded(`and ${webhooks} (not ${certManager})`, text);
  return text;
}

/** `xchartnamex-manager-role` is `manager-role`. */
function shortName({ manifest }: NamedManifest): string {
  return (manifest.metadata.name ?? "").replace(/^[a-z]+-/, "");
}

function serviceAccountTemplate(text: string): string {
  const extra = `  {{- with .Values.serviceAccount.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
`;
  const labels = `    {{- with .Values.serviceAccount.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
`;
  const withLabels = text.replace(/^( +\{\{- include "[^"]+\.labels".*\n)/m, `$1${labels}`);
  return guarded(".Values.serviceAccount.enabled", withLabels.replace("metadata:\n", `metadata:\n${extra}`));
}

/** In the whole cluster, or in the namespace of the release. */
function scopedTemplate(text: string): string {
  return text
    .replace(
      /\bkind: Cluster(Role|RoleBinding)\b/g,
      "kind: {{ if not .Values.rbac.namespaced }}Cluster{{ end }}$1",
    )
    .replace(
      "metadata:\n",
      "metadata:\n  {{- if .Values.rbac.namespaced }}\n  namespace: {{ .Release.Namespace }}\n  {{- end }}\n",
    );
}

function serviceTemplates(chart: string, model: DeploymentModel): Template[] {
  const [own, injected] = [markedModel(model, false), markedModel(model, true)];
  const one = (folder: string, condition: string, manifest: Manifest): Template => {
    const name = (manifest.metadata.name ?? "").replace(/^xchartnamex-/, "");
    return [`${folder}/${name}.yaml`, guarded(condition, templateOf(chart, manifest))];
  };
  const service = webhookService(own);
  const policyCondition = (file: string): string =>
    `and .Values.networkPolicy.enabled ${file.includes("metrics") ? metrics : webhooks}`;
  return [
    [
      "metrics/controller-manager-metrics-service.yaml",
      guarded(metrics, insecure(templateOf(chart, metricsService(own)))),
    ],
    ...(service === undefined ? [] : [one("webhook", webhooks, service)]),
    ...webhookManifests(injected).map(
      (manifest): Template => [
        `webhook/${manifest.kind === "MutatingWebhookConfiguration" ? "mutating" : "validating"}-webhook-configuration.yaml`,
        guarded(`and ${webhooks} ${certManager}`, templateOf(chart, manifest)),
      ],
    ),
    ...certificates(injected).map((manifest) =>
      one("cert-manager", certificateCondition(manifest.metadata.name ?? ""), manifest),
    ),
    ...networkPolicies(own).map(({ file, manifest }) =>
      one("network-policy", policyCondition(file), manifest),
    ),
    [
      "prometheus/controller-manager-metrics-monitor.yaml",
      guarded(
        `and .Values.prometheus.enabled ${metrics}`,
        insecure(
          `{{- if ${certManager} }}\n${templateOf(chart, serviceMonitor(injected))}{{- else }}\n${templateOf(chart, serviceMonitor(own))}{{- end }}\n`,
        ),
      ),
    ],
  ];
}

function certificateCondition(name: string): string {
  if (name.endsWith("-serving-cert")) return `and ${certManager} ${webhooks}`;
  return name.endsWith("-metrics-certs") ? `and ${certManager} ${secureMetrics}` : certManager;
}

/** Metrics may also be served without TLS. */
function insecure(text: string): string {
  return text.replace(
    /(name|port|scheme): https$/gm,
    '$1: {{ ternary "https" "http" .Values.metrics.secure }}',
  );
}

function budgetTemplate(chart: string, model: DeploymentModel): string {
  const budget = disruptionBudget({ ...markedModel(model, false), replicas: 2 });
  const text = budget === undefined ? "" : templateOf(chart, budget);
  return guarded("and .Values.manager.enabled (gt (int .Values.manager.replicas) 1)", text);
}
