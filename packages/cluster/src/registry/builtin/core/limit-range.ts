/** LimitRanges. Source: kubernetes pkg/apis/core (v1/defaults.go, validation). */
import {
  type DeepReadonly,
  type FieldError,
  compareQuantities,
  qualifiedNameErrors,
  quantityNumber,
} from "@bowline/api";
import type { LimitRangeItem } from "@bowline/api/core/v1";
import type { StoredObject } from "../../../store/revision.ts";
import type { BuiltinRules } from "../builtin-rules.ts";
import { type Fields, fill, mapField, mapItems, setField } from "../copy-on-write.ts";
import { quantityOf, quantityShown } from "../field-checks.ts";
import { FieldProblems } from "../field-problems.ts";
import { type ResourceList, checkContainerResourceName, checkResourceName } from "../pod/resources.ts";

type Item = DeepReadonly<LimitRangeItem>;

/** Limits of containers complete each other: default from max, defaultRequest from default and min. */
function defaultItem(item: Fields): Fields {
  if (item["type"] !== "Container") return item;
  const limit = fill((item["default"] ?? {}) as Fields, (item["max"] ?? {}) as Fields);
  const request = fill(fill((item["defaultRequest"] ?? {}) as Fields, limit), (item["min"] ?? {}) as Fields);
  const set = (fields: Fields, name: string, value: Fields): Fields =>
    Object.keys(value).length === 0 ? fields : setField(fields, name, value);
  return set(set(item, "default", limit), "defaultRequest", request);
}

const lists = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;

function errorsOf(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const { limits = [] } = (object["spec"] ?? {}) as { limits?: readonly Item[] };
  limits.forEach((item, i) => {
    const at = `spec.limits[${i}]`;
    checkType(problems, `${at}.type`, item.type);
    if (limits.findIndex((other) => other.type === item.type) < i)
      problems.duplicate(`${at}.type`, item.type);
    checkItem(problems, at, item);
  });
  return problems.list;
}

function checkType(problems: FieldProblems, field: string, type: string): void {
  const errors = qualifiedNameErrors(type);
  problems.allInvalid(field, type, errors);
  if (
    errors.length === 0 &&
    !type.includes("/") &&
    !["Pod", "Container", "PersistentVolumeClaim"].includes(type)
  )
    problems.invalid(field, type, "must be a standard limit type or fully qualified");
}

function checkItem(problems: FieldProblems, at: string, item: Item): void {
  const names = new Set<string>();
  for (const list of lists) {
    const given = (item[list] ?? {}) as ResourceList;
    if (item.type === "Pod" && (list === "default" || list === "defaultRequest")) {
      if (Object.keys(given).length > 0)
        problems.forbidden(`${at}.${list}`, "may not be specified when `type` is 'Pod'");
      continue;
    }
    for (const name in given) {
      names.add(name);
      const field = `${at}.${list}[${name}]`;
      if (item.type === "Pod" || item.type === "Container") checkContainerResourceName(problems, field, name);
      else checkResourceName(problems, field, name);
    }
  }
  const storage = (list: unknown): boolean => (list as ResourceList | undefined)?.["storage"] !== undefined;
  if (item.type === "PersistentVolumeClaim" && !storage(item.min) && !storage(item.max)) {
    problems.required(
      `${at}.limits`,
      "either minimum or maximum storage value is required, but neither was provided",
    );
  }
  for (const name of names) checkOrder(problems, at, item, name);
}

/** min <= defaultRequest <= default <= max */
function checkOrder(problems: FieldProblems, at: string, item: Item, name: string): void {
  const value = (list: (typeof lists)[number]): string | undefined =>
    (item[list] as ResourceList | undefined)?.[name];
  const [min, max, limit, request, ratio] = [
    value("min"),
    value("max"),
    value("default"),
    value("defaultRequest"),
    value("maxLimitRequestRatio"),
  ];
  const check = (
    low: string | undefined,
    high: string | undefined,
    names: { field: string; shown: string | undefined; low: string; high: string },
  ): void => {
    if (low === undefined || high === undefined) return;
    if (compareQuantities(quantityOf(low), quantityOf(high)) <= 0) return;
    const detail = `${names.low} value ${quantityShown(low)} is greater than ${names.high} value ${quantityShown(high)}`;
    problems.invalid(`${at}.${names.field}[${name}]`, quantityShown(names.shown), detail);
  };
  check(min, max, { field: "min", shown: min, low: "min", high: "max" });
  check(min, request, { field: "defaultRequest", shown: request, low: "min", high: "default request" });
  check(request, max, { field: "defaultRequest", shown: request, low: "default request", high: "max" });
  check(request, limit, {
    field: "defaultRequest",
    shown: request,
    low: "default request",
    high: "default limit",
  });
  check(min, limit, { field: "default", shown: min, low: "min", high: "default" });
  check(limit, max, { field: "default", shown: max, low: "default", high: "max" });
  if (ratio === undefined) return;
  const field = `${at}.maxLimitRequestRatio[${name}]`;
  if (compareQuantities(quantityOf(ratio), quantityOf("1")) < 0)
    problems.invalid(field, quantityShown(ratio), `ratio ${quantityShown(ratio)} is less than 1`);
  if (min === undefined || max === undefined) return;
  const limitRatio = quantityNumber(quantityOf(max)) / quantityNumber(quantityOf(min));
  if (quantityNumber(quantityOf(ratio)) > limitRatio) {
    problems.invalid(
      field,
      quantityShown(ratio),
      `ratio ${quantityShown(ratio)} is greater than max/min = ${limitRatio.toFixed(6)}`,
    );
  }
}

export const limitRangeRules: BuiltinRules = {
  allowCreateOnUpdate: true,
  defaults: (object) => mapField(object, "spec", (spec: Fields) => mapItems(spec, "limits", defaultItem)),
  validateCreate: errorsOf,
  validateUpdate: errorsOf,
};
