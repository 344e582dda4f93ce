import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from "../../builtin/admissionregistration/v1.ts";
import type { APIService } from "../../builtin/apiregistration/v1.ts";
import type { CertificateSigningRequest } from "../../builtin/certificates/v1.ts";
import type { ClusterTrustBundle } from "../../builtin/certificates/v1beta1.ts";
import type { ClusterRoleBinding, RoleBinding, Subject } from "../../builtin/rbac/v1.ts";
import type { DeepReadonly } from "../../object/object.ts";
import { ageColumn, column, nameColumn, printerOf, wideColumn } from "../column.ts";
import { ageSince, humanDuration } from "../human-duration.ts";
import type { TableColumn, TablePrinter } from "../table.ts";
import { orElse, selectorText } from "./text.ts";

const bindingColumns: readonly TableColumn[] = [
  nameColumn,
  column("Role", "string", "Kind and name of the role that is granted."),
  ageColumn,
  wideColumn("Users", "string", "Users that it is granted to."),
  wideColumn("Groups", "string", "Groups that it is granted to."),
  wideColumn("ServiceAccounts", "string", "Service accounts that it is granted to."),
];

const roleBinding: TablePrinter = printerOf<RoleBinding | ClusterRoleBinding>(
  bindingColumns,
  ({ metadata, roleRef, subjects }, nowMs) => [
    metadata.name ?? "",
    `${roleRef.kind}/${roleRef.name}`,
    ageSince(metadata.creationTimestamp, nowMs),
    subjectNames(subjects, "User"),
    subjectNames(subjects, "Group"),
    subjectNames(subjects, "ServiceAccount"),
  ],
);

function subjectNames(subjects: readonly DeepReadonly<Subject>[] | undefined, kind: string): string {
  const ofKind = (subjects ?? []).filter((subject) => subject.kind === kind);
  const name = ({ namespace, name }: DeepReadonly<Subject>): string =>
    namespace !== undefined && namespace !== "" ? `${namespace}/${name}` : name;
  return ofKind.map((subject) => (kind === "ServiceAccount" ? name(subject) : subject.name)).join(", ");
}

const certificateSigningRequest: TablePrinter = printerOf<CertificateSigningRequest>(
  [
    nameColumn,
    ageColumn,
    column("SignerName", "string", "Who is asked to sign."),
    column("Requestor", "string", "Who asks."),
    column("RequestedDuration", "string", "How long the certificate should be valid."),
    column("Condition", "string", "Whether it was approved, denied, issued."),
  ],
  (object, nowMs) => {
    const { metadata, spec } = object;
    const seconds = spec.expirationSeconds;
    return [
      metadata.name ?? "",
      ageSince(metadata.creationTimestamp, nowMs),
      orElse(spec.signerName, "<none>"),
      spec.username ?? "",
      seconds === undefined ? "<none>" : humanDuration(seconds * 1000),
      requestCondition(object),
    ];
  },
);

function requestCondition({ status }: DeepReadonly<CertificateSigningRequest>): string {
  const has = (type: string): boolean =>
    status?.conditions?.some((condition) => condition.type === type) === true;
  const words = [has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending"];
  if (has("Failed")) words.push("Failed");
  if (status?.certificate !== undefined && status.certificate !== "") words.push("Issued");
  return words.join(",");
}

const clusterTrustBundle: TablePrinter = printerOf<ClusterTrustBundle>(
  [nameColumn, column("SignerName", "string", "The signer that it belongs to.")],
  ({ metadata, spec }) => [metadata.name ?? "", orElse(spec.signerName, "<none>")],
);

const webhookConfiguration: TablePrinter = printerOf<
  ValidatingWebhookConfiguration | MutatingWebhookConfiguration
>(
  [nameColumn, column("Webhooks", "integer", "How many webhooks it registers."), ageColumn],
  (object, nowMs) => [
    object.metadata.name ?? "",
    object.webhooks?.length ?? 0,
    ageSince(object.metadata.creationTimestamp, nowMs),
  ],
);

const paramKindColumn = column("ParamKind", "string", "The kind of its parameters.");

const validatingPolicy: TablePrinter = printerOf<ValidatingAdmissionPolicy>(
  [nameColumn, column("Validations", "integer", "How many rules it has."), paramKindColumn, ageColumn],
  ({ metadata, spec }, nowMs) => [
    metadata.name ?? "",
    spec?.validations?.length ?? 0,
    paramKindText(spec?.paramKind),
    ageSince(metadata.creationTimestamp, nowMs),
  ],
);

const mutatingPolicy: TablePrinter = printerOf<MutatingAdmissionPolicy>(
  [nameColumn, column("Mutations", "integer", "How many changes it makes."), paramKindColumn, ageColumn],
  ({ metadata, spec }, nowMs) => [
    metadata.name ?? "",
    spec?.mutations?.length ?? 0,
    paramKindText(spec?.paramKind),
    ageSince(metadata.creationTimestamp, nowMs),
  ],
);

function paramKindText(kind: DeepReadonly<ParamKind> | undefined): string {
  return kind === undefined ? "<unset>" : `${kind.apiVersion ?? ""}/${kind.kind ?? ""}`;
}

const policyBinding: TablePrinter = printerOf<
  ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding
>(
  [
    nameColumn,
    column("PolicyName", "string", "The policy that is put in force."),
    column("ParamRef", "string", "Where its parameters are."),
    ageColumn,
  ],
  ({ metadata, spec }, nowMs) => [
    metadata.name ?? "",
    spec?.policyName ?? "",
    paramRefText(spec?.paramRef),
    ageSince(metadata.creationTimestamp, nowMs),
  ],
);

/** Whether parameters are namespaced cannot be seen here, so a name without a namespace is shown as being in any. */
function paramRefText(reference: DeepReadonly<ParamRef> | undefined): string {
  if (reference === undefined) return "<unset>";
  if (reference.name !== undefined && reference.name !== "")
    return `${orElse(reference.namespace, "*")}/${reference.name}`;
  return reference.selector === undefined ? "<unset>" : selectorText(reference.selector);
}

/** Source: kube-aggregator pkg/registry/apiservice (ConvertToTable). */
const apiService: TablePrinter = printerOf<APIService>(
  [
    nameColumn,
    column("Service", "string", "The service that serves it; Local for the server itself."),
    column("Available", "string", "Whether it answers."),
    ageColumn,
  ],
  ({ metadata, spec, status }, nowMs) => {
    const available = status?.conditions?.find((condition) => condition.type === "Available");
    const reason = available?.status === "True" ? "" : ` (${available?.reason ?? ""})`;
    return [
      metadata.name ?? "",
      spec?.service === undefined ? "Local" : `${spec.service.namespace ?? ""}/${spec.service.name ?? ""}`,
      available === undefined ? "Unknown" : `${available.status}${reason}`,
      ageSince(metadata.creationTimestamp, nowMs),
    ];
  },
);

/** By group and kind. Source of columns and cells: kubernetes pkg/printers/internalversion (printers.go). */
export const accessPrinters: Readonly<Record<string, TablePrinter>> = {
  "admissionregistration.k8s.io/MutatingAdmissionPolicy": mutatingPolicy,
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": policyBinding,
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": webhookConfiguration,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": validatingPolicy,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": policyBinding,
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": webhookConfiguration,
  "apiregistration.k8s.io/APIService": apiService,
  "certificates.k8s.io/CertificateSigningRequest": certificateSigningRequest,
  "certificates.k8s.io/ClusterTrustBundle": clusterTrustBundle,
  "rbac.authorization.k8s.io/ClusterRoleBinding": roleBinding,
  "rbac.authorization.k8s.io/RoleBinding": roleBinding,
};
