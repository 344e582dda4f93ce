import {
  type CustomResourceDefinition,
  type JsonObject,
  customResourceCleanupFinalizer,
  defaultCrd,
  prepareCrdForCreate,
  prepareCrdForStatusUpdate,
  prepareCrdForUpdate,
  terminatingCrdStatus,
  validateCrd,
  validateCrdStatusUpdate,
  validateCrdUpdate,
} from "@bowline/api";
import { decodeBuiltin } from "@bowline/api/catalog";
import type { StoredObject } from "../../store/revision.ts";
import { withMetadata } from "../metadata.ts";
import type { Resource } from "../resource.ts";
import type { Strategy, WriteStrategy } from "../strategy.ts";

const asCrd = (object: StoredObject): CustomResourceDefinition =>
  object as unknown as CustomResourceDefinition;
const asObject = (crd: CustomResourceDefinition): StoredObject => crd as unknown as StoredObject;

/**
 * CustomResourceDefinitions, on top of the generic built-in resource; their validation includes what is generic.
 * Source: apiextensions-apiserver pkg/registry/customresourcedefinition (strategy.go, etcd.go).
 */
export function crdResource(base: Resource): Resource {
  const given = new GivenVersions();
  const strategy: Strategy = {
    ...base.strategy,
    allowUnconditionalUpdate: false,
    decode(value, options) {
      const decoded = base.strategy.decode(value, options);
      given.remember(decoded.object, value);
      return decoded;
    },
    applyDefaults: (object) => defaultCrd(object as never) as never,
    prepareForCreate: (object) => asObject(prepareCrdForCreate(asCrd(object))),
    prepareForUpdate: (object, old) => asObject(prepareCrdForUpdate(asCrd(object), asCrd(old))),
    prepareForDelete: markForDeletion,
    validateCreate: (object) => validateCrd(given.recall(asCrd(object))),
    validateUpdate: (object, old) => validateCrdUpdate(given.recall(asCrd(object)), asCrd(old)),
  };
  const status: WriteStrategy | undefined = base.status && {
    ...base.status,
    prepareForUpdate: (object, old) => asObject(prepareCrdForStatusUpdate(asCrd(object), asCrd(old))),
    validateUpdate: (object, old) => validateCrdStatusUpdate(asCrd(object), asCrd(old)),
  };
  return {
    ...base,
    strategy,
    status,
    // spread would freeze these at their first value
    get printer() {
      return base.printer;
    },
    get patchSchema() {
      return base.patchSchema;
    },
  };
}

/** A deleted CRD stays until its custom resources are gone. */
function markForDeletion(object: StoredObject): StoredObject {
  const { finalizers = [], deletionTimestamp = "" } = object.metadata;
  const status = terminatingCrdStatus(asCrd(object), { state: "pending", now: deletionTimestamp });
  const marked = asObject({ ...asCrd(object), status });
  if (finalizers.includes(customResourceCleanupFinalizer)) return marked;
  return withMetadata(marked, { finalizers: [...finalizers, customResourceCleanupFinalizer] });
}

/**
 * The versions of a CRD as they were sent, for the texts of errors: the real server prints a schema with its empty lists and
 * maps, which it does not store.
 */
class GivenVersions {
  readonly #given = new WeakMap<object, CustomResourceDefinition["spec"]["versions"]>();

  remember(decoded: JsonObject, value: JsonObject): void {
    const versions = versionsOf(decoded);
    if (versions === undefined) return;
    const whole = decodeBuiltin(crdKind, value, { keepEmpty: true });
    this.#given.set(versions, versionsOf(whole.object) ?? []);
  }

  recall(crd: CustomResourceDefinition): CustomResourceDefinition {
    const versions = crd.spec.versions === undefined ? undefined : this.#given.get(crd.spec.versions);
    return versions === undefined ? crd : { ...crd, spec: { ...crd.spec, versions } };
  }
}

const crdKind = { group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition" };

function versionsOf(object: JsonObject): CustomResourceDefinition["spec"]["versions"] | undefined {
  const versions = (object["spec"] as JsonObject | undefined)?.["versions"];
  return Array.isArray(versions) ? (versions as never) : undefined;
}
