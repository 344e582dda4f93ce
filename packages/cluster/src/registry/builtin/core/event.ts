/** Events, under both of their groups. Source: kubernetes pkg/apis/core/validation/events.go. */
import { type FieldError, qualifiedNameErrors } from "@bowline/api";
import type { StoredObject } from "../../../store/revision.ts";
import { type BuiltinRules, fieldReader } from "../builtin-rules.ts";
import { type Fields, fill } from "../copy-on-write.ts";
import { checkImmutable, same } from "../field-checks.ts";
import { FieldProblems } from "../field-problems.ts";
import { eventConversion } from "./event-conversion.ts";

const lengthMax = 128;
const noteLengthMax = 1024;

interface EventFields extends StoredObject {
  readonly involvedObject?: { readonly namespace?: string };
  readonly eventTime?: string | null;
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
  readonly action?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly type?: string;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly count?: number;
  readonly source?: { readonly component?: string; readonly host?: string };
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string | null };
}

/** What every event must obey: its namespace is that of its object, and those with an eventTime say more. */
function checkLegacy(
  problems: FieldProblems,
  event: EventFields,
  controller: "reportingComponent" | "reportingController",
): void {
  const own = event.metadata.namespace ?? "";
  const involved = event.involvedObject?.namespace ?? "";
  const field = "involvedObject.namespace";
  const mismatch = "does not match event.namespace";
  if (!event.eventTime) {
    if (involved === "" ? own !== "" && own !== "default" : own !== involved)
      problems.invalid(field, involved, mismatch);
    return;
  }
  if (involved === "" && own !== "default" && own !== "kube-system")
    problems.invalid(field, involved, mismatch);
  const { reportingComponent = "" } = event;
  if (reportingComponent === "") problems.required(controller);
  problems.allInvalid(controller, reportingComponent, qualifiedNameErrors(reportingComponent));
  for (const name of ["reportingInstance", "action", "reason"] as const) {
    const text = event[name] ?? "";
    if (text === "") problems.required(name);
    if (text.length > lengthMax) problems.invalid(name, "", `can have at most ${lengthMax} characters`);
  }
  if ((event.message ?? "").length > noteLengthMax)
    problems.invalid("message", "", `can have at most ${noteLengthMax} characters`);
}

/** What the newer group demands beside. */
function checkNew(problems: FieldProblems, event: EventFields): void {
  checkSeries(problems, event);
  if (!event.eventTime) problems.required("eventTime");
  if (event.type !== "Normal" && event.type !== "Warning")
    problems.invalid("type", "", `has invalid value: ${event.type ?? ""}`);
  for (const field of ["firstTimestamp", "lastTimestamp", "count"] as const)
    if (event[field]) problems.invalid(field, "", "needs to be unset");
  if (event.source?.component || event.source?.host) problems.invalid("source", "", "needs to be unset");
}

function checkSeries(problems: FieldProblems, { series }: EventFields): void {
  if (series === undefined) return;
  if ((series.count ?? 0) < 2) problems.invalid("series.count", "", "should be at least 2");
  if (!series.lastObservedTime) problems.required("series.lastObservedTime");
}

function legacyErrors(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  checkLegacy(problems, object as EventFields, "reportingComponent");
  return problems.list;
}

/** Fields that the newer group does not let change, by their names in core. */
const frozenFields: readonly (readonly [field: string, shown: string])[] = [
  ["involvedObject", "involvedObject"],
  ["reason", "reason"],
  ["message", "message"],
  ["source", "source"],
  ["firstTimestamp", "firstTimestamp"],
  ["lastTimestamp", "lastTimestamp"],
  ["count", "count"],
  ["type", "type"],
  ["eventTime", "eventTime"],
  ["action", "action"],
  ["related", "related"],
  ["reportingComponent", "reportingController"],
  ["reportingInstance", "reportingInstance"],
];

function parts(prefix: string, object: string): Record<string, ReturnType<typeof fieldReader>> {
  const names = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
  return Object.fromEntries(names.map((name) => [`${prefix}.${name}`, fieldReader(object, name)]));
}

const coreSource = fieldReader("source", "component");
const coreController = fieldReader("reportingComponent");

/** What Go writes when nothing is given. */
const coreDefaults: Fields = Object.freeze({
  source: Object.freeze({}),
  reportingComponent: "",
  reportingInstance: "",
});

export const coreEventRules: BuiltinRules = {
  allowCreateOnUpdate: true,
  defaults: (object) => fill(object, coreDefaults),
  validateCreate: legacyErrors,
  validateUpdate: legacyErrors,
  fields: {
    ...parts("involvedObject", "involvedObject"),
    reason: fieldReader("reason"),
    reportingComponent: coreController,
    source: (event) => coreSource(event) || coreController(event),
    type: fieldReader("type"),
  },
};

const newSource = fieldReader("deprecatedSource", "component");
const newController = fieldReader("reportingController");

export const newEventRules: BuiltinRules = {
  allowCreateOnUpdate: true,
  validateCreate(object) {
    const problems = new FieldProblems();
    const event = eventConversion.write(object) as EventFields;
    checkLegacy(problems, event, "reportingController");
    checkNew(problems, event);
    return problems.list;
  },
  validateUpdate(object, old) {
    const problems = new FieldProblems();
    const event = eventConversion.write(object) as EventFields;
    const before = eventConversion.write(old);
    checkLegacy(problems, event, "reportingController");
    if (!same(event.series, before["series"])) checkSeries(problems, event);
    for (const [field, shown] of frozenFields)
      checkImmutable(problems, shown, (event as StoredObject)[field], before[field]);
    return problems.list;
  },
  fields: {
    ...parts("regarding", "regarding"),
    ...parts("involvedObject", "regarding"),
    reason: fieldReader("reason"),
    reportingController: newController,
    reportingComponent: newController,
    source: (event) => newSource(event) || newController(event),
    type: fieldReader("type"),
  },
};
