import type { FieldManagement, ManagedObject, TrackUpdateRequest } from "./field-management.ts";

/**
 * Gives the object of a create, update or patch its new managedFields. Never fails: when the types do not fit, the entries
 * of the live object are kept. Returns the object as it is when its managedFields need no change.
 */
export function trackUpdate(management: FieldManagement, request: TrackUpdateRequest): ManagedObject {
  throw new Error(`not built yet: ${management.kind}${request.manager}`);
}
