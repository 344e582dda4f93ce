import { type FieldError, type JsonObject, badRequest, invalid } from "@bowline/api";
import { decodeBuiltin } from "@bowline/api/catalog";
import type { DeleteOptions } from "../registry/delete-options.ts";
import { typeMetaProblem } from "./decode-object.ts";
import { dryRunErrors, parseInt64 } from "./options.ts";

type Given = Readonly<Record<string, unknown>>;

/**
 * Reads delete options from the body or, when there is none, from the query: any body, even `{}`, hides all of the query.
 * @throws StatusError 400 for what cannot be read, 422 for values that make no sense
 */
export function parseDeleteOptions(body: unknown, query: URLSearchParams): DeleteOptions {
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
  };
}

const deleteOptionsKind = { group: "meta.k8s.io", version: "v1", kind: "DeleteOptions" };

function fromBody(body: unknown): Given {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw badRequest("decoded object cannot be converted to DeleteOptions");
  }
  const given = body as JsonObject;
  const problem = typeMetaProblem(given);
  if (problem !== undefined) throw badRequest(problem);
  const kind = given["kind"] || deleteOptionsKind.kind;
  if (kind !== deleteOptionsKind.kind) {
    throw badRequest(`decoded object cannot be converted to DeleteOptions: no kind "${String(kind)}"`);
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
