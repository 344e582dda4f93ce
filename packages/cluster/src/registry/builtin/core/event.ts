/** Events, under both of their groups. Source: kubernetes pkg/apis/core/validation/events.go. */
import { type FieldError, dns1123SubdomainErrors, qualifiedNameErrors } from "@bowline/api";
import type { StoredObject } from "../../../store/revision.ts";
import { type BuiltinRules, fieldReader } from "../builtin-rules.ts";
import { same } from "../field-checks.ts";
import { FieldProblems } from "../field-problems.ts";

const controllerBytesMax = 128;
const actionBytesMax = 128;
const reasonBytesMax = 128;
const noteBytesMax = 1024;

interface InvolvedObject {
  readonly namespace?: string;
  readonly kind?: string;
  readonly apiVersion?: string;
}

/** The namespace of an event is that of its object, `default` for objects without one. */
function checkNamespace(problems: FieldProblems, object: StoredObject, involved: InvolvedObject): void {
  const own = object.metadata.namespace ?? "";
  const wanted = involved.namespace ?? "";
  if (wanted === "" ? own !== "" && own !== "default" && own !== "kube-system" : own !== wanted)
    problems.invalid("involvedObject.namespace", wanted, "does not match event.namespace");
}

function legacyErrors(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  checkNamespace(problems, object, (object["involvedObject"] ?? {}) as InvolvedObject);
  return problems.list;
}

/** What events.k8s.io demands of new events, and core of those with an eventTime. */
function newErrors(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  if (isUnset(object["eventTime"])) problems.required("eventTime");
  checkText(problems, "type", String(object["type"] ?? ""));
  const controller = String(object["reportingController"] ?? "");
  if (controller === "") problems.required("reportingController");
  else problems.allInvalid("reportingController", controller, qualifiedNameErrors(controller));
  checkLength(problems, "reportingInstance", String(object["reportingInstance"] ?? ""), controllerBytesMax);
  checkLength(problems, "action", String(object["action"] ?? ""), actionBytesMax);
  checkLength(problems, "reason", String(object["reason"] ?? ""), reasonBytesMax);
  const note = String(object["note"] ?? "");
  if (note.length > noteBytesMax)
    problems.invalid("message", "", `can have at most ${noteBytesMax} characters`);
  return problems.list;
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === null;
}

function checkText(problems: FieldProblems, field: string, type: string): void {
  if (type !== "Normal" && type !== "Warning") problems.invalid(field, "", `has invalid value: ${type}`);
}

function checkLength(problems: FieldProblems, field: string, value: string, max: number): void {
  if (value === "") problems.required(field);
  else if (value.length > max) problems.invalid(field, "", `can have at most ${max} characters`);
}

const frozenFields = [
  "regarding",
  "reason",
  "reportingController",
  "reportingInstance",
  "action",
  "related",
  "note",
  "type",
] as const;

function newUpdateErrors(object: StoredObject, old: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  for (const field of frozenFields) {
    if (!same(object[field], old[field]))
      problems.invalid(field === "note" ? "message" : field, object[field] ?? null, "field is immutable");
  }
  return problems.list;
}

function eventFields(object: string, names: { readonly controller: string; readonly source: string }): BuiltinRules["fields"] {
  const parts = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
  const component = fieldReader(names.source, "component");
  const controller = fieldReader(names.controller);
  const involved = Object.fromEntries(
    parts.map((part) => [`involvedObject.${part}`, fieldReader(object, part)]),
  );
  const regarding =
    object === "regarding"
      ? Object.fromEntries(parts.map((part) => [`regarding.${part}`, fieldReader(object, part)]))
      : {};
  return {
    ...involved,
    ...regarding,
    reason: fieldReader("reason"),
    reportingComponent: controller,
    ...(object === "regarding" ? { reportingController: controller } : {}),
    source: (event) => component(event) || controller(event),
    type: fieldReader("type"),
  };
}

export const coreEventRules: BuiltinRules = {
  name: dns1123SubdomainErrors,
  allowCreateOnUpdate: true,
  validateCreate: legacyErrors,
  validateUpdate: legacyErrors,
  fields: eventFields("involvedObject", { controller: "reportingComponent", source: "source" }) ?? {},
};

export const newEventRules: BuiltinRules = {
  name: dns1123SubdomainErrors,
  allowCreateOnUpdate: true,
  validateCreate: newErrors,
  validateUpdate: newUpdateErrors,
  fields: eventFields("regarding", { controller: "reportingController", source: "deprecatedSource" }) ?? {},
};
