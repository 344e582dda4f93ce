/** The template of the manager's Deployment: every value that people change has its place in it. */
import {
  hasWebhooks,
  metricsSecretSuffix,
  webhookSecretSuffix,
  webhookServiceSuffix,
  type DeploymentModel,
} from "../manifests/model.ts";
import { metricsCertificates, webhookCertificates } from "../manifests/manager.ts";
import { nameExpression } from "./templating.ts";

export function managerTemplate(chart: string, model: DeploymentModel): string {
  const name = nameExpression(chart, "controller-manager");
  const labels = (more: string, spaces: number): string => customLabels(chart, more, spaces);
  return `{{- if .Values.manager.enabled }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  namespace: {{ .Release.Namespace }}
  labels:
    ${labels(".Values.manager.labels", 4)}
  {{- with .Values.manager.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  replicas: {{ .Values.manager.replicas }}
  {{- with .Values.manager.strategy }}
  strategy:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "${chart}.selectorLabels" . | nindent 6 }}
      control-plane: controller-manager
  template:
    metadata:
      annotations:
        kubectl.kubernetes.io/default-container: manager
        {{- with (.Values.manager.pod).annotations }}
        {{- omit . "kubectl.kubernetes.io/default-container" | toYaml | nindent 8 }}
        {{- end }}
      labels:
        ${labels("(.Values.manager.pod).labels", 8)}
    spec:
${scheduling(chart)}
      serviceAccountName: {{ include "${chart}.serviceAccountName" . }}
      {{- with .Values.manager.podSecurityContext }}
      securityContext:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      terminationGracePeriodSeconds: {{ .Values.manager.terminationGracePeriodSeconds }}
      containers:
        - name: manager
          image: "{{ .Values.manager.image.repository }}{{ if not (contains "@" .Values.manager.image.repository) }}:{{ .Values.manager.image.tag | default .Chart.AppVersion }}{{ end }}"
          {{- with .Values.manager.image.pullPolicy }}
          imagePullPolicy: {{ . }}
          {{- end }}
          args:
${args(chart, model)}
${environment(model)}
          ports:
            - name: probes
              containerPort: {{ .Values.manager.healthProbe.port }}
              protocol: TCP
            {{- if .Values.metrics.enabled }}
            - name: metrics
              containerPort: {{ .Values.metrics.port }}
              protocol: TCP
            {{- end }}${webhookPort(model)}
          livenessProbe:
            httpGet:
              path: /healthz
              port: probes
            initialDelaySeconds: 15
            periodSeconds: 20
          readinessProbe:
            httpGet:
              path: /readyz
              port: probes
            initialDelaySeconds: 5
            periodSeconds: 10
          {{- with .Values.manager.resources }}
          resources:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          {{- with .Values.manager.securityContext }}
          securityContext:
            {{- toYaml . | nindent 12 }}
          {{- end }}
${volumes(chart, model)}
{{- end }}
`;
}

/** The chart's own, and those of a value that do not get in their way. */
function customLabels(chart: string, value: string, spaces: number): string {
  const own = ["name", "instance", "managed-by"].map((each) => `"app.kubernetes.io/${each}"`).join(" ");
  const pad = " ".repeat(spaces);
  return `{{- include "${chart}.labels" . | nindent ${spaces} }}
${pad}control-plane: controller-manager
${pad}{{- with ${value} }}
${pad}{{- omit . ${own} "helm.sh/chart" "control-plane" | toYaml | nindent ${spaces} }}
${pad}{{- end }}`;
}

function scheduling(chart: string): string {
  const fields = ["affinity", "nodeSelector", "tolerations", "imagePullSecrets"].map(
    (field) => `      {{- with .Values.manager.${field} }}
      ${field}:
        {{- toYaml . | nindent 8 }}
      {{- end }}`,
  );
  const spread = ["topology.kubernetes.io/zone", "kubernetes.io/hostname"].map(
    (key) => `        - maxSkew: 1
          topologyKey: ${key}
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "${chart}.selectorLabels" . | nindent 14 }}
              control-plane: controller-manager`,
  );
  return `${fields.join("\n")}
      {{- with .Values.manager.priorityClassName }}
      priorityClassName: {{ . | quote }}
      {{- end }}
      {{- if .Values.manager.topologySpreadConstraints }}
      topologySpreadConstraints:
        {{- toYaml .Values.manager.topologySpreadConstraints | nindent 8 }}
      {{- else if gt (int .Values.manager.replicas) 1 }}
      topologySpreadConstraints:
${spread.join("\n")}
      {{- end }}`;
}

function args(chart: string, model: DeploymentModel): string {
  const webhooks = `            {{- if .Values.webhook.enabled }}
            - --webhook-bind-address=:{{ .Values.webhook.port }}
            {{- if .Values.certManager.enabled }}
            - --webhook-cert-path=${webhookCertificates}
            {{- else }}
            - --webhook-service=${nameExpression(chart, webhookServiceSuffix)}
            {{- end }}
            {{- end }}
`;
  return `            - --health-probe-bind-address=:{{ .Values.manager.healthProbe.port }}
            {{- if .Values.metrics.enabled }}
            - --metrics-bind-address=:{{ .Values.metrics.port }}
            {{- if not .Values.metrics.secure }}
            - --metrics-secure=false
            {{- else if .Values.certManager.enabled }}
            - --metrics-cert-path=${metricsCertificates}
            {{- end }}
            {{- end }}
${hasWebhooks(model.operator) ? webhooks : ""}            {{- if .Values.rbac.namespaced }}
            - --watch-namespace={{ .Release.Namespace }}
            {{- end }}
            {{- range .Values.manager.args }}
            - {{ tpl . $ | quote }}
            {{- end }}`;
}

function environment(model: DeploymentModel): string {
  const off = hasWebhooks(model.operator) ? "(not .Values.webhook.enabled) " : "";
  const disabled = `            {{- if not .Values.webhook.enabled }}
            - name: ENABLE_WEBHOOKS
              value: "false"
            {{- end }}
`;
  return `          {{- if or ${off}.Values.manager.env .Values.manager.envOverrides }}
          env:
${off === "" ? "" : disabled}            {{- with .Values.manager.env }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
            {{- range $name, $value := .Values.manager.envOverrides }}
            - name: {{ $name }}
              value: {{ $value | quote }}
            {{- end }}
          {{- end }}`;
}

function webhookPort(model: DeploymentModel): string {
  if (!hasWebhooks(model.operator)) return "";
  return `
            {{- if .Values.webhook.enabled }}
            - name: webhook-server
              containerPort: {{ .Values.webhook.port }}
              protocol: TCP
            {{- end }}`;
}

/** Certificates of cert-manager, and what people add. */
function volumes(chart: string, model: DeploymentModel): string {
  const certificates = [
    ...(hasWebhooks(model.operator)
      ? [
          [
            "webhook-certs",
            "and .Values.certManager.enabled .Values.webhook.enabled",
            webhookCertificates,
            webhookSecretSuffix,
          ],
        ]
      : []),
    [
      "metrics-certs",
      "and .Values.certManager.enabled .Values.metrics.enabled .Values.metrics.secure",
      metricsCertificates,
      metricsSecretSuffix,
    ],
  ] as [name: string, condition: string, path: string, secret: string][];
  const mounts = certificates.map(
    ([name, condition, path]) => `            {{- if ${condition} }}
            - name: ${name}
              mountPath: ${path}
              readOnly: true
            {{- end }}`,
  );
  const secrets = certificates.map(
    ([name, condition, , suffix]) => `        {{- if ${condition} }}
        - name: ${name}
          secret:
            secretName: ${nameExpression(chart, suffix)}
        {{- end }}`,
  );
  return `          {{- if or .Values.certManager.enabled .Values.manager.extraVolumeMounts }}
          volumeMounts:
${mounts.join("\n")}
            {{- with .Values.manager.extraVolumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          {{- end }}
      {{- if or .Values.certManager.enabled .Values.manager.extraVolumes }}
      volumes:
${secrets.join("\n")}
        {{- with .Values.manager.extraVolumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- end }}`;
}
