/**
 * Go's names of types that OpenAPI does not tell apart from plain texts, lists and maps. They appear in the server's words for a
 * field of the wrong type. Only fields that people write are listed; others are named by their plain type.
 * Source: k8s.io/api, k8s.io/apiextensions-apiserver and k8s.io/apimachinery types.go.
 */

/** By struct and field. */
const namedFields: Readonly<Record<string, string>> = {
  "Condition.status": "v1.ConditionStatus",
  "Container.imagePullPolicy": "v1.PullPolicy",
  "Container.restartPolicy": "v1.ContainerRestartPolicy",
  "Container.terminationMessagePolicy": "v1.TerminationMessagePolicy",
  "ContainerPort.protocol": "v1.Protocol",
  "CronJobSpec.concurrencyPolicy": "v1.ConcurrencyPolicy",
  "CustomResourceConversion.strategy": "v1.ConversionStrategyType",
  "CustomResourceDefinitionCondition.status": "v1.ConditionStatus",
  "CustomResourceDefinitionCondition.type": "v1.CustomResourceDefinitionConditionType",
  "CustomResourceDefinitionSpec.scope": "v1.ResourceScope",
  "DaemonSetUpdateStrategy.type": "v1.DaemonSetUpdateStrategyType",
  "DeleteOptions.propagationPolicy": "v1.DeletionPropagation",
  "DeploymentStrategy.type": "v1.DeploymentStrategyType",
  "EmptyDirVolumeSource.medium": "v1.StorageMedium",
  "EndpointSlice.addressType": "v1.AddressType",
  "HTTPGetAction.scheme": "v1.URIScheme",
  "HTTPIngressPath.pathType": "v1.PathType",
  "JSONSchemaProps.definitions": "v1.JSONSchemaDefinitions",
  "JSONSchemaProps.dependencies": "v1.JSONSchemaDependencies",
  "JSONSchemaProps.x-kubernetes-validations": "v1.ValidationRules",
  "JobSpec.completionMode": "v1.CompletionMode",
  "LabelSelectorRequirement.operator": "v1.LabelSelectorOperator",
  "ManagedFieldsEntry.operation": "v1.ManagedFieldsOperationType",
  "MutatingWebhook.failurePolicy": "v1.FailurePolicyType",
  "NetworkPolicyPort.protocol": "v1.Protocol",
  "NodeSelectorRequirement.operator": "v1.NodeSelectorOperator",
  "ObjectMeta.uid": "types.UID",
  "ObjectReference.uid": "types.UID",
  "OwnerReference.uid": "types.UID",
  "PersistentVolumeClaimSpec.volumeMode": "v1.PersistentVolumeMode",
  "PersistentVolumeSpec.persistentVolumeReclaimPolicy": "v1.PersistentVolumeReclaimPolicy",
  "PodSpec.dnsPolicy": "v1.DNSPolicy",
  "PodSpec.preemptionPolicy": "v1.PreemptionPolicy",
  "PodSpec.restartPolicy": "v1.RestartPolicy",
  "PodStatus.phase": "v1.PodPhase",
  "Preconditions.uid": "types.UID",
  "Secret.type": "v1.SecretType",
  "ServicePort.protocol": "v1.Protocol",
  "ServiceSpec.externalTrafficPolicy": "v1.ServiceExternalTrafficPolicy",
  "ServiceSpec.internalTrafficPolicy": "v1.ServiceInternalTrafficPolicy",
  "ServiceSpec.ipFamilyPolicy": "v1.IPFamilyPolicy",
  "ServiceSpec.sessionAffinity": "v1.ServiceAffinity",
  "ServiceSpec.type": "v1.ServiceType",
  "StatefulSetSpec.podManagementPolicy": "v1.PodManagementPolicyType",
  "StatefulSetUpdateStrategy.type": "v1.StatefulSetUpdateStrategyType",
  "Toleration.effect": "v1.TaintEffect",
  "Toleration.operator": "v1.TolerationOperator",
  "ValidatingWebhook.failurePolicy": "v1.FailurePolicyType",
  "ValidationRule.reason": "v1.FieldValueErrorReason",
};

/** The name of a field's own type, when it has one. @param struct without its package: `PodSpec` */
export function namedFieldType(struct: string, field: string): string | undefined {
  return namedFields[`${struct}.${field}`];
}
