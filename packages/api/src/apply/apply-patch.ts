import type { ApplyRequest, ApplyResult, FieldManagement } from "./field-management.ts";

/**
 * Server-side apply. Throws StatusError: 409 with one cause per conflicting field, 400 when the patch is of another kind or
 * version or carries managedFields, 500 when it does not fit the schema.
 */
export function applyPatch(management: FieldManagement, request: ApplyRequest): ApplyResult {
  throw new Error(`not built yet: ${management.kind}${request.manager}`);
}
