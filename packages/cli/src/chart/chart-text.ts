/** The texts of a chart that are the same for every operator, but for its name. Values as kubebuilder's chart plugin has them. */
import { hasWebhooks, type DeploymentModel } from "../manifests/model.ts";
import { managerPodDefaults as pod } from "../manifests/manager.ts";
import { encodeYaml } from "@bowline/api";

/** Functions that templates call; named for the chart, so that a chart that holds this one does not mix them up. */
export function helpers(chart: string): string {
  return `{{- define "${chart}.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- /* What the names of all objects begin with: the release, and the chart where the release is called otherwise. */}}
{{- define "${chart}.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- /* (dict "suffix" "manager-role" "context" $): a name of at most 63 characters whose end is never cut off. */}}
{{- define "${chart}.resourceName" -}}
{{- $length := sub 62 (len .suffix) | int }}
{{- printf "%s-%s" (include "${chart}.fullname" .context | trunc $length | trimSuffix "-") .suffix }}
{{- end }}

{{- define "${chart}.selectorLabels" -}}
app.kubernetes.io/name: {{ include "${chart}.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "${chart}.labels" -}}
{{ include "${chart}.selectorLabels" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "${chart}.serviceAccountName" -}}
{{- if .Values.serviceAccount.enabled }}
{{- include "${chart}.resourceName" (dict "suffix" "controller-manager" "context" .) }}
{{- else }}
{{- required "serviceAccount.name is needed with serviceAccount.enabled=false" .Values.serviceAccount.name }}
{{- end }}
{{- end }}
`;
}

export function chartYaml(chart: string, version: string): string {
  return `apiVersion: v2
name: ${chart}
description: A Helm chart to install the operator ${chart}
type: application
version: ${version}
appVersion: ${JSON.stringify(version)}
keywords:
  - kubernetes
  - operator
`;
}

export function notes(): string {
  return `{{ .Chart.Name }} {{ .Chart.AppVersion }} is installed as release {{ .Release.Name }} in namespace {{ .Release.Namespace }}.

See whether its manager runs:

  kubectl get pods -n {{ .Release.Namespace }} -l control-plane=controller-manager
`;
}

export const helmIgnore = `.DS_Store
.git/
.gitignore
*.swp
*.bak
*.tmp
*.orig
*.new
*~
.idea/
.vscode/
`;

/** The values, filled from the model. */
export function valuesYaml(model: DeploymentModel): string {
  const { repository, tag } = imageParts(model.image);
  return `# Another name than that of the chart in the names of all objects, and a name instead of release and chart.
# nameOverride: ""
# fullnameOverride: ""

manager:
  # False installs everything but the manager.
  enabled: true
  replicas: ${model.replicas}
  image:
    repository: ${JSON.stringify(repository)}
    # Default: appVersion of the chart.
    ${tag === undefined ? `# tag: ""` : `tag: ${JSON.stringify(tag)}`}
    pullPolicy: IfNotPresent
  # Beside those that follow from the values below; templates are allowed.
  args:
    - --leader-elect
  healthProbe:
    port: 8081
  # Environment, as a list of the container's own form.
  env: []
  # Single variables, for --set manager.envOverrides.NAME=value.
  envOverrides: {}
  # imagePullSecrets:
  #   - name: my-registry
  podSecurityContext:
${indented(pod.securityContext, 4)}
  securityContext:
${indented(pod.container.securityContext, 4)}
  resources:
${indented(pod.container.resources, 4)}
  affinity: {}
  nodeSelector: {}
  tolerations: []
  # strategy:
  #   type: RollingUpdate
  # priorityClassName: ""
  # Default with more than one replica: over zones and machines, as far as there are any.
  # topologySpreadConstraints: []
  terminationGracePeriodSeconds: ${pod.terminationGracePeriodSeconds}
  # Of the Deployment.
  # labels: {}
  # annotations: {}
  # pod:
  #   labels: {}
  #   annotations: {}
  # extraVolumes: []
  # extraVolumeMounts: []

rbac:
  # True: a Role in the release's namespace instead of a ClusterRole, and the manager watches only there.
  namespaced: ${model.namespaced}
  helpers:
    # Roles admin, editor and viewer for every kind, to be bound by whoever runs the cluster.
    enabled: false

serviceAccount:
  enabled: true
  # The one to use instead, with enabled: false.
  # name: ""
  # annotations: {}
  # labels: {}

crd:
  enabled: true
  # The kinds and all their objects stay when the release is uninstalled.
  keep: true

metrics:
  enabled: true
  port: 8443
  # HTTPS, and only for those whom the API server allows to read /metrics.
  secure: true

certManager:
  # Certificates come from cert-manager; else the manager makes and keeps its own.
  enabled: ${model.certManager}

webhook:
  enabled: ${hasWebhooks(model.operator)}
  port: 9443

prometheus:
  # A ServiceMonitor, for clusters with the Prometheus operator.
  enabled: false

networkPolicy:
  enabled: false
`;
}

/** `registry.example.com:5000/shop:v1` is a repository and a tag; a digest stays with the repository. */
function imageParts(image: string): { repository: string; tag?: string } {
  const colon = image.lastIndexOf(":");
  if (image.includes("@") || colon <= image.lastIndexOf("/")) return { repository: image };
  return { repository: image.slice(0, colon), tag: image.slice(colon + 1) };
}

function indented(value: object, spaces: number): string {
  return encodeYaml(value as never)
    .trimEnd()
    .replace(/^/gm, " ".repeat(spaces));
}
