/**
 * Query parameters of each verb, read and checked as the API server does.
 * Source: k8s.io/apimachinery pkg/apis/meta (validation, internalversion), apiserver pkg/endpoints/handlers.
 */
import {
  type FieldError,
  type FieldMatcher,
  type LabelMatcher,
  SelectorError,
  type StatusError,
  badRequest,
  failure,
  fieldErrorsText,
  invalid,
  parseFieldSelector,
  parseLabelSelector,
} from "@bowline/api";
import { isTrue } from "./request-info.ts";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** Options of create, update and patch. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /** Only of apply. */
  readonly force: boolean | undefined;
}

export interface ListOptions {
  readonly labels: LabelMatcher;
  readonly fields: FieldMatcher;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  /** 0 for no limit. */
  readonly limit: number;
  readonly continueToken: string;
  /** Milliseconds; undefined when the client did not say. */
  readonly timeoutMs: number | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

const metaGroup = "meta.k8s.io";

function invalidOptions(kind: string, errors: readonly FieldError[]): StatusError {
  return invalid({ group: metaGroup, kind }, "", errors);
}

/** @throws StatusError 422 naming the parameter */
export function parseWriteOptions(
  query: URLSearchParams,
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
  apply = false,
): WriteOptions {
  const errors: FieldError[] = [];
  const force = query.has("force") ? isTrue(query.get("force")) : undefined;
  if (kind === "PatchOptions") {
    if (!apply && force !== undefined) {
      errors.push({ type: "Forbidden", field: "force", detail: "may not be specified for non-apply patch" });
    }
    if (apply && (query.get("fieldManager") ?? "") === "") {
      errors.push({ type: "Required", field: "fieldManager", detail: "is required for apply patch" });
    }
  }
  const fieldManager = query.get("fieldManager") ?? "";
  errors.push(...fieldManagerErrors(fieldManager));
  const dryRun = query.getAll("dryRun");
  errors.push(...dryRunErrors(dryRun));
  const fieldValidation = query.get("fieldValidation") ?? "";
  if (!["", "Ignore", "Warn", "Strict"].includes(fieldValidation)) {
    errors.push({
      type: "NotSupported",
      field: "fieldValidation",
      badValue: fieldValidation,
      detail: 'supported values: "", "Ignore", "Strict", "Warn"',
    });
  }
  if (errors.length > 0) throw invalidOptions(kind, errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: fieldValidation === "" ? "Warn" : (fieldValidation as FieldValidation),
    force,
  };
}

function fieldManagerErrors(manager: string): FieldError[] {
  const field = "fieldManager";
  // Go counts bytes
  if (new TextEncoder().encode(manager).length > 128) {
    return [{ type: "TooLong", field, badValue: manager, detail: "may not be more than 128 bytes" }];
  }
  const chars = [...manager];
  const at = chars.findIndex((char) => !/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char));
  if (at < 0) return [];
  const code = (chars[at]?.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  // Go counts the position in bytes
  const position = new TextEncoder().encode(chars.slice(0, at).join("")).length;
  const detail = `invalid character U+${code} (at position ${position})`;
  return [{ type: "Invalid", field, badValue: manager, detail }];
}

/** The errors of a `dryRun` list, whose only value is `All`. */
export function dryRunErrors(dryRun: readonly string[]): FieldError[] {
  if (dryRun.every((value) => value === "All")) return [];
  return [{ type: "NotSupported", field: "dryRun", badValue: dryRun, detail: 'supported values: "All"' }];
}

/** @throws StatusError 400 for values that do not parse, 422 for combinations that make no sense */
export function parseListOptions(query: URLSearchParams, watch: boolean): ListOptions {
  const given: ListOptions = {
    labels: selector(() => parseLabelSelector(query.get("labelSelector") ?? "")),
    fields: selector(() => parseFieldSelector(query.get("fieldSelector") ?? "")),
    resourceVersion: query.get("resourceVersion") ?? "",
    resourceVersionMatch: query.get("resourceVersionMatch") ?? "",
    limit: Math.max(0, parseInt64(query.get("limit")) ?? 0),
    continueToken: query.get("continue") ?? "",
    timeoutMs: secondsToMs(parseInt64(query.get("timeoutSeconds"))),
    allowWatchBookmarks: isTrue(query.get("allowWatchBookmarks")),
    sendInitialEvents: query.has("sendInitialEvents") ? isTrue(query.get("sendInitialEvents")) : undefined,
  };
  const options = watch ? watchDefaults(given) : given;
  const errors = watch ? watchOptionErrors(options) : listOptionErrors(options);
  if (errors.length > 0) throw invalidOptions("ListOptions", errors);
  return options;
}

/**
 * A watch from nowhere in particular begins with the objects that there are, as if it had asked for them.
 * Source: apimachinery meta/internalversion (defaults.go).
 */
function watchDefaults(options: ListOptions): ListOptions {
  const { sendInitialEvents, resourceVersionMatch: match, resourceVersion: version } = options;
  if (sendInitialEvents !== undefined || match !== "" || !["", "0"].includes(version)) return options;
  return { ...options, sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" };
}

function selector<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}

/** @throws StatusError 400 with Go's sentence */
export function parseInt64(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  if (!/^[+-]?\d+$/.test(text))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = BigInt(text.replace(/^\+/, ""));
  if (value > 9223372036854775807n || value < -9223372036854775808n) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  }
  return Number(value);
}

function secondsToMs(seconds: number | undefined): number | undefined {
  return seconds === undefined || seconds === 0 ? undefined : seconds * 1000;
}

const matchField = "resourceVersionMatch";

function listOptionErrors(options: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const { resourceVersion: version, resourceVersionMatch: match, continueToken } = options;
  if (match !== "") {
    if (version === "") {
      errors.push({
        type: "Forbidden",
        field: matchField,
        detail: "resourceVersionMatch is forbidden unless resourceVersion is provided",
      });
    }
    if (continueToken !== "") {
      errors.push({
        type: "Forbidden",
        field: matchField,
        detail: "resourceVersionMatch is forbidden when continue is provided",
      });
    }
    if (match !== "Exact" && match !== "NotOlderThan") {
      errors.push({
        type: "NotSupported",
        field: matchField,
        badValue: match,
        detail: 'supported values: "Exact", "NotOlderThan", ""',
      });
    }
    if (match === "Exact" && version === "0") {
      errors.push({
        type: "Forbidden",
        field: matchField,
        detail: 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
      });
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push({
      type: "Forbidden",
      field: "sendInitialEvents",
      detail: "sendInitialEvents is forbidden for list",
    });
  }
  return errors;
}

function watchOptionErrors(options: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const { resourceVersionMatch: match, sendInitialEvents } = options;
  if (sendInitialEvents === undefined) {
    if (match !== "") {
      errors.push({
        type: "Forbidden",
        field: matchField,
        detail: "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
      });
    }
  } else if (match !== "NotOlderThan") {
    errors.push({
      type: "Forbidden",
      field: matchField,
      detail: "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
    });
  }
  if (match !== "" && match !== "NotOlderThan") {
    errors.push({
      type: "NotSupported",
      field: matchField,
      badValue: match,
      detail: 'supported values: "NotOlderThan"',
    });
  }
  if (match !== "" && options.continueToken !== "") {
    const detail = "resourceVersionMatch is forbidden when continue is provided";
    errors.push({ type: "Forbidden", field: matchField, detail });
  }
  return errors;
}

/**
 * A resourceVersion as a number; undefined for an empty one.
 * @param code 400 for lists, 500 where the real server lets the storage error through
 * @throws StatusError with Go's sentence
 */
export function parseResourceVersion(text: string, code: 400 | 500): number | undefined {
  if (text === "") return undefined;
  if (/^\d+$/.test(text) && BigInt(text) <= 18446744073709551615n) return Number(text);
  const why = /^\d+$/.test(text) ? "value out of range" : "invalid syntax";
  const detail = `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`;
  const message = fieldErrorsText([{ type: "Invalid", field: "resourceVersion", badValue: text, detail }]);
  throw code === 400 ? badRequest(`invalid resource version: ${message}`) : failure(500, "", message);
}
