import {
  type CustomResourceDefinition,
  type FieldError,
  customResourceCleanupFinalizer,
  defaultCrd,
  prepareCrdForCreate,
  prepareCrdForStatusUpdate,
  prepareCrdForUpdate,
  validateCrd,
  validateCrdStatusUpdate,
  validateCrdUpdate,
} from "@bowline/api";
import type { StoredObject } from "../../store/revision.ts";
import { withMetadata } from "../metadata.ts";
import type { Resource } from "../resource.ts";
import type { Strategy, Verdict, WriteStrategy } from "../strategy.ts";

const asCrd = (object: StoredObject): CustomResourceDefinition =>
  object as unknown as CustomResourceDefinition;
const asObject = (crd: CustomResourceDefinition): StoredObject => crd as unknown as StoredObject;

/** CustomResourceDefinitions, on top of the generic built-in resource. Source: apiextensions-apiserver pkg/registry/customresourcedefinition. */
export function crdResource(base: Resource): Resource {
  const metadataOnly = (verdict: Verdict): FieldError[] =>
    verdict.errors.filter((e) => e.field.startsWith("metadata"));
  const merge = (generic: Verdict, own: Verdict): Verdict => {
    const errors = [...metadataOnly(generic), ...own.errors];
    return { errors, warnings: [...generic.warnings, ...own.warnings] };
  };
  const strategy: Strategy = {
    ...base.strategy,
    allowUnconditionalUpdate: false,
    applyDefaults: (object) => defaultCrd(object as never) as never,
    prepareForCreate: (object) => withCleanup(asObject(prepareCrdForCreate(asCrd(object)))),
    prepareForUpdate: (object, old) => asObject(prepareCrdForUpdate(asCrd(object), asCrd(old))),
    validateCreate: (object) => merge(base.strategy.validateCreate(object), validateCrd(asCrd(object))),
    validateUpdate: (object, old) =>
      merge(base.strategy.validateUpdate(object, old), validateCrdUpdate(asCrd(object), asCrd(old))),
  };
  const status: WriteStrategy | undefined = base.status && {
    ...base.status,
    prepareForUpdate: (object, old) => asObject(prepareCrdForStatusUpdate(asCrd(object), asCrd(old))),
    validateUpdate: (object, old) =>
      merge(
        base.status?.validateUpdate(object, old) ?? { errors: [], warnings: [] },
        validateCrdStatusUpdate(asCrd(object), asCrd(old)),
      ),
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

/** A CRD stays until its custom resources are gone. */
function withCleanup(object: StoredObject): StoredObject {
  const finalizers = object.metadata.finalizers ?? [];
  if (finalizers.includes(customResourceCleanupFinalizer)) return object;
  return withMetadata(object, { finalizers: [...finalizers, customResourceCleanupFinalizer] });
}
