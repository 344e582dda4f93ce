/** Turns manifests into templates: what depends on the release becomes an expression, the rest stays as it is. */
import { encodeYaml } from "@bowline/api";
import { metricsPort, webhookPort } from "../manifests/manager.ts";
import type { DeploymentModel, Manifest } from "../manifests/model.ts";

/** Names that no project has, in the place of what only the release knows. */
const marks = {
  name: "xchartnamex",
  namespace: "xreleasenamespacex",
  labels: "xchartlabelsx",
  instance: "xreleasenamex",
  account: "xserviceaccountx",
  metricsPort: "xmetricsportx",
  webhookPort: "xwebhookportx",
} as const;

/** The same operator, with marks instead of names. */
export function markedModel(model: DeploymentModel, certManager: boolean): DeploymentModel {
  return { ...model, projectName: marks.name, namespace: marks.namespace, certManager };
}

/** An expression that gives `RELEASE-SUFFIX`. */
export function nameExpression(chart: string, suffix: string): string {
  return `{{ include "${chart}.resourceName" (dict "suffix" "${suffix}" "context" $) }}`;
}

/** The template of a manifest that was made from a marked model. */
export function templateOf(chart: string, manifest: Manifest): string {
  return expressions(chart, encodeYaml(marked(manifest) as never));
}

/** Text with its marks made into expressions; braces that are meant for people stay braces. */
export function expressions(chart: string, text: string): string {
  return text
    .replace(/\{\{/g, '{{ "{{" }}')
    .replace(new RegExp(`^( +)${marks.labels}: ""$`, "gm"), (_, pad: string) => {
      return `${pad}{{- include "${chart}.labels" $ | nindent ${pad.length} }}`;
    })
    .replace(new RegExp(`${marks.name}-([a-z0-9-]+)`, "g"), (_, suffix: string) =>
      nameExpression(chart, suffix),
    )
    .replaceAll(marks.name, `{{ include "${chart}.name" $ }}`)
    .replaceAll(marks.namespace, "{{ .Release.Namespace }}")
    .replaceAll(marks.instance, "{{ .Release.Name }}")
    .replaceAll(marks.account, `{{ include "${chart}.serviceAccountName" $ }}`)
    .replaceAll(marks.metricsPort, "{{ .Values.metrics.port }}")
    .replaceAll(marks.webhookPort, "{{ .Values.webhook.port }}");
}

const nameLabel = "app.kubernetes.io/name";
const managedBy = "app.kubernetes.io/managed-by";

/** Labels, selectors, accounts and ports replaced by marks, wherever they are. */
function marked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(marked);
  if (value === metricsPort) return marks.metricsPort;
  if (value === webhookPort) return marks.webhookPort;
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, marked(each)]));
  if (fields["kind"] === "ServiceAccount" && fields["namespace"] !== undefined) {
    return { ...fields, name: marks.account };
  }
  if (fields[nameLabel] !== marks.name) return fields;
  if (fields[managedBy] === undefined) return { ...fields, "app.kubernetes.io/instance": marks.instance };
  const { [nameLabel]: _name, [managedBy]: _by, ...others } = fields;
  return { [marks.labels]: "", ...others };
}
