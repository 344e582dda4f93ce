/**
 * How the variables are declared that expressions of match conditions and policies can see.
 * Source: k8s.io/apiserver pkg/admission/plugin/cel (compile.go).
 */
import type { ExpressionVariable, JsonSchema } from "@bowline/api";

const text: JsonSchema = { type: "string" };
const whole: JsonSchema = { type: "integer" };
const time: JsonSchema = { type: "string", format: "date-time" };
const texts: JsonSchema = { type: "array", items: text };
const labels: JsonSchema = { type: "object", additionalProperties: text };

function struct(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: "object", properties };
}

const kind = struct({ group: text, version: text, kind: text });
const resourceType = struct({ group: text, version: text, resource: text });

const requestSchema: JsonSchema = struct({
  kind,
  resource: resourceType,
  subResource: text,
  requestKind: kind,
  requestResource: resourceType,
  requestSubResource: text,
  name: text,
  namespace: text,
  operation: text,
  userInfo: struct({
    username: text,
    uid: text,
    groups: texts,
    extra: { type: "object", additionalProperties: texts },
  }),
  dryRun: { type: "boolean" },
});

const condition = struct({ status: text, type: text, lastTransitionTime: time, message: text, reason: text });

const namespaceSchema: JsonSchema = struct({
  metadata: struct({
    name: text,
    generateName: text,
    namespace: text,
    labels,
    annotations: labels,
    UID: text,
    creationTimestamp: time,
    deletionGracePeriodSeconds: whole,
    deletionTimestamp: time,
    generation: whole,
    resourceVersion: text,
    finalizers: texts,
  }),
  spec: struct({ finalizers: texts }),
  status: struct({ conditions: { type: "array", items: condition }, phase: text }),
});

/** Of every admission expression: match conditions of webhooks, and all expressions of policies. */
export const admissionVariables: Readonly<Record<string, ExpressionVariable>> = {
  object: "dyn",
  oldObject: "dyn",
  request: requestSchema,
  namespaceObject: { ...namespaceSchema, nullable: true },
  authorizer: "authorizer",
};

/** Of match conditions of policies; the policy's own variables come only after them. */
export const policyConditionVariables: Readonly<Record<string, ExpressionVariable>> = {
  ...admissionVariables,
  "authorizer.requestResource": "resourceCheck",
  params: "dyn",
};
