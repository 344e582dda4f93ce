/**
 * Writes to stored objects, the same for every kind. The order of the steps is the real server's, since it decides which
 * of several errors a client sees. Source: k8s.io/apiserver pkg/registry/generic/registry (store.go), pkg/registry/rest.
 */
import {
  type FieldManagement,
  type Json,
  type StatusError,
  alreadyExists,
  conflict,
  deepFreeze,
  failure,
  internalError,
  invalid,
  jsonEqual,
  keepManagedFieldsTimes,
  managedFieldsProblem,
  notFound,
  trackUpdate,
  withConversions,
} from "@bowline/api";
import { type Clock, type Random, rfc3339 } from "@bowline/client";
import type { AdmissionChain, AdmissionRequest } from "./admission.ts";
import type { UserInfo } from "./user.ts";
import { Revision, type StoredObject } from "../store/revision.ts";
import { StaleWrite } from "../store/bucket.ts";
import { keptMetadata, newMetadata, withMetadata } from "./metadata.ts";
import { uniqueOwnerReferences } from "./owner-references.ts";
import { type MaybePromise, type Resource, seeOne, storeKey } from "./resource.ts";
import type { Verdict, WriteStrategy } from "./strategy.ts";

/** What every write is made with. */
export interface WriteContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly admission: AdmissionChain;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** The field manager of this write. */
  readonly manager: string;
  /** The options object of the request, as admission shows it to webhooks. */
  readonly options: unknown;
  warn(text: string): void;
  /** Notes something for the audit log. */
  annotate?(key: string, value: string): void;
}

/** An update whose new state is computed from the stored one, again after every conflict with another writer. */
export interface UpdateRequest {
  readonly namespace: string;
  readonly name: string;
  /** `""` or `status`. */
  readonly subresource: string;
  readonly strategy: WriteStrategy;
  /**
   * The new state, from the stored one as this version shows it; `current` is undefined when nothing is stored.
   * `tracked` true: the state carries its managedFields already (server-side apply).
   */
  compute(current: StoredObject | undefined): Promise<{ object: StoredObject; tracked: boolean }>;
  /** True for a patch: its result is not what a client sent. */
  readonly isPatch?: boolean;
  /** True: `compute` may create the object (server-side apply). */
  readonly createsMissing: boolean;
  /** True: a conflict with a concurrent writer is answered by computing again; false: it is the client's to see. */
  readonly retriesConflicts: boolean;
  /** What admission sees instead of the object: the Scale of a deployment. Absent for the object itself. */
  readonly view?: ObjectView;
  /** True: another uid is a forbidden change (patches); else it means another object, which is a conflict. */
  readonly uidMayDiffer?: boolean;
}

/** A part of an object that an endpoint shows and takes as an object of its own. */
export interface ObjectView {
  show(object: StoredObject): StoredObject;
  /** The object with what admission made of the view. */
  take(object: StoredObject, view: StoredObject): StoredObject;
}

export interface Written {
  /** As the request's version shows it. For a dry run it is not stored. */
  readonly revision: Revision;
  readonly created: boolean;
}

/** How often a create with generateName tries another name, and a write repeats after a conflict. Source: rest/create.go, patch.go. */
const nameAttemptsMax = 8;
const conflictAttemptsMax = 5;

/** What a write is told whose resourceVersion is not the stored one. */
export const modified =
  "the object has been modified; please apply your changes to the latest version and try again";

/** What a patch is told that takes the apiVersion away. Source: apimachinery runtime/error.go. */
const missingVersion = "Object 'apiVersion' is missing in 'object has no apiVersion field'";

interface NewObject {
  readonly namespace: string;
  readonly object: StoredObject;
  /** True: managedFields are already right. */
  readonly tracked?: boolean;
}

/**
 * Creates an object. A name made from generateName that is taken, also by a create at the same time, is drawn again.
 * @throws StatusError 409 for a name that is taken
 */
export async function createObject(
  resource: Resource,
  context: WriteContext,
  given: NewObject,
): Promise<Revision> {
  const wanted = await admittedForCreate(resource, context, given);
  const generates = !wanted.metadata.name && wanted.metadata.generateName;
  for (let attempt = 1; ; attempt++) {
    const object = await preparedForCreate(resource, context, { ...given, object: wanted });
    const key = storeKey(resource.api.namespaced, given.namespace, object.metadata.name ?? "");
    try {
      return await insert(resource, context, key, object);
    } catch (error) {
      if (!(error instanceof StaleWrite)) throw error;
      if (!generates || attempt >= nameAttemptsMax)
        throw takenName(resource, object, resource.bucket.get(key));
    }
  }
}

/** Stores a new object. @throws StaleWrite when there is one of that name */
async function insert(
  resource: Resource,
  context: WriteContext,
  key: string,
  object: StoredObject,
): Promise<Revision> {
  if (resource.bucket.get(key) !== undefined) throw new StaleWrite(key);
  const toStore = await resource.toStorage(object);
  if (context.dryRun) return seeOne(resource, new Revision(key, 0, deepFreeze(toStore) as StoredObject));
  return seeOne(resource, commit(resource, key, undefined, toStore));
}

/** The new object as mutating admission leaves it: without uid, and without name when one is to be generated. */
async function admittedForCreate(
  resource: Resource,
  context: WriteContext,
  given: NewObject,
): Promise<StoredObject> {
  // A dry run never reaches the storage, which is what refuses it.
  if (!context.dryRun) refuseResourceVersion(given.object);
  const refusal = resource.createRefusal?.(given.object.metadata.name ?? "");
  if (refusal !== undefined) throw refusal;
  // nobody owns what a client says of a deletion: it is wiped first
  const alive = withMetadata(given.object, {
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
  });
  const unique = uniqueOwnerReferences(alive, { afterAdmission: false, warn: context.warn });
  const object = given.tracked === true ? unique : await track(context, resource.strategy, undefined, unique);
  return admitted(context, createAdmission(resource, context, { ...given, object }), object);
}

async function preparedForCreate(
  resource: Resource,
  context: WriteContext,
  given: NewObject,
): Promise<StoredObject> {
  const { strategy } = resource;
  // uid and name first: the selector of a Job is made from its uid
  const object = strategy.prepareForCreate(newMetadata(given.object, context), context.user);
  judge(resource, object, strategy.validateCreate(object), context);
  await context.admission.validate(createAdmission(resource, context, { ...given, object }));
  return object;
}

function createAdmission(
  resource: Resource,
  context: WriteContext,
  { namespace, object }: NewObject,
): AdmissionRequest {
  return admissionRequest(resource, context, { operation: "CREATE", namespace, object });
}

/** The object as mutating admission leaves it. */
async function admitted(
  context: WriteContext,
  request: AdmissionRequest,
  object: StoredObject,
): Promise<StoredObject> {
  const changed = (await context.admission.mutate(request)) ?? object;
  const sound = soundManagedFields(context, changed, object);
  return uniqueOwnerReferences(sound, { afterAdmission: true, warn: context.warn });
}

/** The object with what mutating admission makes of its view. */
async function admittedView(
  context: WriteContext,
  request: AdmissionRequest,
  view: ObjectView,
  object: StoredObject,
): Promise<StoredObject> {
  const changed = await context.admission.mutate(request);
  return changed === undefined || changed === request.object ? object : view.take(object, changed);
}

/** The admitted object with the entries from before admission, when admission made them unreadable. */
function soundManagedFields(
  context: WriteContext,
  admittedObject: StoredObject,
  object: StoredObject,
): StoredObject {
  const { managedFields } = admittedObject.metadata;
  if (managedFields === object.metadata.managedFields) return admittedObject;
  const problem = managedFieldsProblem(managedFields as never);
  if (problem === undefined) return admittedObject;
  context.warn(
    ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating " +
      `admission controller; please fix your requests: ${problem}`,
  );
  return withMetadata(admittedObject, { managedFields: object.metadata.managedFields });
}

/** `existing` is what has the name, unless it went away meanwhile. */
function takenName(resource: Resource, object: StoredObject, existing: Revision | undefined): StatusError {
  const { name = "", generateName } = object.metadata;
  const { status } = alreadyExists(resourceName(resource), name);
  const generated = generateName ? ", the server was not able to generate a unique name for the object" : "";
  const isGoing = existing?.object.metadata.deletionTimestamp !== undefined;
  const message = `${isGoing ? "object is being deleted: " : ""}${status.message}${generated}`;
  return failure(409, "AlreadyExists", message, {
    ...status.details,
    ...(generateName ? { retryAfterSeconds: 1 } : {}),
  });
}

function refuseResourceVersion(object: StoredObject): void {
  const version = object.metadata.resourceVersion ?? "";
  if (/^\d+$/.test(version) && Number(version) !== 0) {
    throw failure(500, "", "resourceVersion should not be set on objects to be created");
  }
}

/** Updates an object, or creates it when the request allows. @throws StatusError */
export async function updateObject(
  resource: Resource,
  context: WriteContext,
  request: UpdateRequest,
): Promise<Written> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await updateOnce(resource, context, request);
    } catch (error) {
      if (!(error instanceof StaleWrite)) throw error;
      if (!request.retriesConflicts || attempt >= conflictAttemptsMax) {
        throw conflict(resourceName(resource), request.name, modified);
      }
    }
  }
}

async function updateOnce(
  resource: Resource,
  context: WriteContext,
  request: UpdateRequest,
): Promise<Written> {
  const { name, namespace } = request;
  const key = storeKey(resource.api.namespaced, namespace, name);
  const stored = resource.bucket.get(key);
  if (stored === undefined) {
    if (!request.createsMissing) throw notFound(resourceName(resource), name);
    const { object, tracked } = await request.compute(undefined);
    if (object.metadata.uid) throw uidConflict(resource, namespace, name, object.metadata.uid, "");
    const wanted = await admittedForCreate(resource, context, { namespace, object, tracked });
    const prepared = await preparedForCreate(resource, context, { namespace, object: wanted });
    return { revision: await insert(resource, context, key, prepared), created: true };
  }
  const seen = await seeOne(resource, stored);
  const old = seen.object;
  const next = await request.compute(old);
  checkPreconditions(resource, next.object, old, request);
  const prepared = await prepareUpdate(resource, context, { request, old, next });
  const object = keepManagedFieldsTimes(old as never, prepared as never) as unknown as StoredObject;
  if (finalized(resource, object)) {
    const final = withMetadata(object, { resourceVersion: old.metadata.resourceVersion });
    if (!context.dryRun) removeStored(resource, stored);
    return {
      revision: new Revision(key, stored.revision, deepFreeze(final) as StoredObject),
      created: false,
    };
  }
  const toStore = await resource.toStorage(object);
  // what is stored decides, not what is seen: a default that came later is written by any write
  if (jsonEqual(toStore as unknown as Json, stored.object as unknown as Json))
    return { revision: seen, created: false };
  if (context.dryRun) {
    return {
      revision: await seeOne(
        resource,
        new Revision(key, stored.revision, deepFreeze(toStore) as StoredObject),
      ),
      created: false,
    };
  }
  return { revision: await seeOne(resource, commit(resource, key, stored, toStore)), created: false };
}

async function prepareUpdate(
  resource: Resource,
  context: WriteContext,
  given: {
    readonly request: UpdateRequest;
    readonly old: StoredObject;
    readonly next: { readonly object: StoredObject; readonly tracked: boolean };
  },
): Promise<StoredObject> {
  const { request, old, next } = given;
  const { strategy, subresource, namespace, name, view } = request;
  const shown = (object: StoredObject): StoredObject => view?.show(object) ?? object;
  const admission = (object: StoredObject): AdmissionRequest =>
    admissionRequest(resource, context, {
      operation: "UPDATE",
      namespace,
      name,
      object: shown(object),
      oldObject: shown(old),
      subresource,
    });
  // a body's doubled owners are its client's; those of a patch result are only seen after admission
  let object =
    request.isPatch === true
      ? next.object
      : uniqueOwnerReferences(next.object, { afterAdmission: false, warn: context.warn });
  if (!next.tracked) object = await track(context, strategy, old, object);
  object =
    view === undefined
      ? await admitted(context, admission(object), object)
      : await admittedView(context, admission(object), view, object);
  if (!object.apiVersion) throw internalError(missingVersion);
  object = strategy.prepareForUpdate(keptMetadata(object, old), old);
  object = withMetadata(object, { resourceVersion: old.metadata.resourceVersion });
  judge(resource, object, strategy.validateUpdate(object, old), context);
  await context.admission.validate(admission(object));
  return object;
}

/** Optimistic concurrency of a write: uid and resourceVersion that the client named must be those stored. */
function checkPreconditions(
  resource: Resource,
  object: StoredObject,
  old: StoredObject,
  request: UpdateRequest,
): void {
  const { namespace } = request;
  const name = old.metadata.name ?? "";
  const { resourceVersion: version = "", uid } = object.metadata;
  if (version !== "" && !/^\d+$/.test(version)) {
    throw failure(500, "", `strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
  }
  if (uid && uid !== old.metadata.uid && request.uidMayDiffer !== true)
    throw uidConflict(resource, namespace, name, uid, old.metadata.uid ?? "");
  if ((version === "" || version === "0") && !resource.strategy.allowUnconditionalUpdate) {
    const detail = "must be specified for an update";
    const error = { type: "Invalid", field: "metadata.resourceVersion", badValue: 0, detail } as const;
    throw invalid({ group: resource.api.group, kind: resource.api.plural }, name, [error]);
  }
  if (version !== "" && version !== "0" && version !== old.metadata.resourceVersion) {
    throw conflict(resourceName(resource), name, modified);
  }
}

/** What a write is told whose uid is another object's. */
export function uidConflict(
  resource: Resource,
  namespace: string,
  name: string,
  asked: string,
  found: string,
): StatusError {
  const key = `${resource.registryPath}/${storeKey(resource.api.namespaced, namespace, name)}`;
  const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${asked}, UID in object meta: ${found}`;
  return conflict(resourceName(resource), name, why);
}

/** True when a write took the last thing away that kept a deleted object. */
function finalized(resource: Resource, object: StoredObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds: grace, finalizers } = object.metadata;
  if (deletionTimestamp === undefined || (finalizers?.length ?? 0) > 0) return false;
  return (grace ?? 0) === 0 && resource.strategy.keepsDeleted?.(object) !== true;
}

/** The object with the entries of managedFields that this write leaves. */
function track(
  context: WriteContext,
  strategy: WriteStrategy,
  live: StoredObject | undefined,
  object: StoredObject,
): MaybePromise<StoredObject> {
  const request = {
    object: object as never,
    manager: context.manager,
    now: rfc3339(context.clock.now()),
    ...(live === undefined ? {} : { live: live as never }),
  };
  return managing(strategy, (management) =>
    trackUpdate(management, request),
  ) as unknown as MaybePromise<StoredObject>;
}

/** Runs field management of an endpoint, waiting for conversions where a webhook makes them. */
export function managing<T>(
  strategy: WriteStrategy,
  run: (management: FieldManagement) => T,
): MaybePromise<T> {
  const { convert, management } = strategy;
  if (convert === undefined) return run(management);
  return withConversions(
    management,
    (object, apiVersion) => convert(object as never, apiVersion) as never,
    run,
  );
}

function judge(resource: Resource, object: StoredObject, verdict: Verdict, context: WriteContext): void {
  for (const text of verdict.warnings) context.warn(text);
  if (verdict.errors.length === 0) return;
  // the body's own group and kind are named, even when they are what is wrong
  const group = resource.typedItems ? groupOf(object.apiVersion) : resource.kind.group;
  throw invalid({ group, kind: object.kind }, object.metadata.name ?? "", verdict.errors);
}

/** The group that an apiVersion names: none without a slash. */
function groupOf(apiVersion = ""): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}

/** Puts an object into the store; its resourceVersion is the new revision. */
export function commit(
  resource: Resource,
  key: string,
  expected: Revision | undefined,
  object: StoredObject,
): Revision {
  return resource.bucket.put(
    key,
    expected,
    (resourceVersion) => deepFreeze(withMetadata(object, { resourceVersion })) as StoredObject,
  );
}

/** Takes an object out of the store; watchers see its last stored state with the delete's revision. */
export function removeStored(resource: Resource, stored: Revision): Revision {
  return resource.bucket.remove(
    stored.key,
    stored,
    (resourceVersion) => deepFreeze(withMetadata(stored.object, { resourceVersion })) as StoredObject,
  );
}

/** Resource and group as error messages name them. */
export function resourceName(resource: Resource): { group: string; resource: string } {
  return { group: resource.api.group, resource: resource.api.plural };
}

export function admissionRequest(
  resource: Resource,
  context: WriteContext,
  about: Pick<AdmissionRequest, "operation" | "namespace"> &
    Partial<Pick<AdmissionRequest, "name" | "object" | "oldObject" | "subresource">>,
): AdmissionRequest {
  return {
    resource,
    operation: about.operation,
    namespace: about.namespace,
    name: about.name ?? about.object?.metadata.name ?? "",
    object: about.object,
    oldObject: about.oldObject,
    subresource: about.subresource ?? "",
    options: context.options,
    dryRun: context.dryRun,
    user: context.user,
    warn: (text) => context.warn(text),
    annotate: (key, value) => context.annotate?.(key, value),
  };
}
