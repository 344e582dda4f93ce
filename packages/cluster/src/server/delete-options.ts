import { type FieldError, type Json, type JsonObject, badRequest, invalid } from "@bowline/api";
import { decodeBuiltin } from "@bowline/api/catalog";
import type { DeleteOptions } from "../registry/delete-options.ts";
import { notAnObject, typeMetaProblem } from "./decode-object.ts";
import { dryRunErrors, parseInt64 } from "./options.ts";

type Given = Readonly<Record<string, unknown>>;

/**
 * Reads delete options from the body or, when there is none, from the query: any body, even `{}`, hides all of the query.
 * @throws StatusError 400 for what cannot be read, 422 for values that make no sense
 */
export function parseDeleteOptions(body: Json | undefined, query: URLSearchParams): DeleteOptions {
  const options = body === undefined ? fromQuery(query) : fromBody(body);
  const errors = optionErrors(options);
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
  return {
    dryRun: (options.dryRun as string[] | undefined)?.includes("All") ?? false,
    gracePeriodSeconds: negativeIsOne(options.gracePeriodSeconds as number | undefined),
    propagationPolicy: options.propagationPolicy as string | undefined,
    orphanDependents: options.orphanDependents as boolean | undefined,
    preconditions: options.preconditions as DeleteOptions["preconditions"],
  };
}

/** A negative grace period means one second. */
function negativeIsOne(seconds: number | undefined): number | undefined {
  return seconds !== undefined && seconds < 0 ? 1 : seconds;
}

function fromQuery(query: URLSearchParams): Given {
  const orphan = query.get("orphanDependents");
  const dryRun = query.getAll("dryRun");
  return {
    ...(dryRun.length > 0 ? { dryRun } : {}),
    gracePeriodSeconds: parseInt64(query.get("gracePeriodSeconds")),
    propagationPolicy: query.get("propagationPolicy") ?? undefined,
    orphanDependents: orphan === null ? undefined : orphan !== "false" && orphan !== "0",
    preconditions: queryPreconditions(query),
  };
}

/** `?uid=` and `?resourceVersion=` are preconditions. Source: apimachinery meta/v1 (conversion.go). */
function queryPreconditions(query: URLSearchParams): DeleteOptions["preconditions"] {
  const uid = query.get("uid") || undefined;
  const resourceVersion = query.get("resourceVersion") || undefined;
  return uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion };
}

const deleteOptionsKind = { group: "meta.k8s.io", version: "v1", kind: "DeleteOptions" };

/** Types of the core group that every scheme knows. Source: apimachinery meta/v1 (register.go, AddToGroupVersion). */
const unversionedKinds: ReadonlySet<string> = new Set([
  "Status",
  "APIVersions",
  "APIGroupList",
  "APIGroup",
  "APIResourceList",
]);

/** What is said of a body of another kind than delete options. */
function notDeleteOptions(apiVersion: string, kind: string): Error {
  if (apiVersion === "v1" && unversionedKinds.has(kind)) {
    return badRequest(`converting (v1.${kind}) to (v1.DeleteOptions): unknown conversion`);
  }
  const scheme = "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27";
  return badRequest(`no kind "${kind}" is registered for version "${apiVersion}" in scheme "${scheme}"`);
}

function fromBody(body: Json): Given {
  // null is no value for any field, which is allowed
  const problemOfBody = body === null ? undefined : notAnObject(body);
  if (problemOfBody !== undefined) throw badRequest(problemOfBody);
  const given = (body ?? {}) as JsonObject;
  const problem = typeMetaProblem(given);
  if (problem !== undefined) throw badRequest(problem);
  const kind = given["kind"] || deleteOptionsKind.kind;
  if (kind !== deleteOptionsKind.kind) {
    throw notDeleteOptions(String(given["apiVersion"] || "meta.k8s.io/v1"), String(kind));
  }
  const { object, error } = decodeBuiltin(deleteOptionsKind, given);
  if (error !== undefined) throw badRequest(error);
  return object;
}

function optionErrors(options: Given): FieldError[] {
  const errors: FieldError[] = [];
  const { propagationPolicy: policy, orphanDependents: orphan } = options;
  if (policy !== undefined && orphan !== undefined) {
    errors.push({
      type: "Invalid",
      field: "propagationPolicy",
      badValue: policy,
      detail: "orphanDependents and deletionPropagation cannot be both set",
    });
  }
  if (policy !== undefined && !["Foreground", "Background", "Orphan"].includes(policy as string)) {
    errors.push({
      type: "NotSupported",
      field: "propagationPolicy",
      badValue: policy,
      detail: 'supported values: "Foreground", "Background", "Orphan", "nil"',
    });
  }
  errors.push(...dryRunErrors((options.dryRun as string[] | undefined) ?? []));
  return errors;
}
