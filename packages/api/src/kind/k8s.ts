/**
 * Kubernetes' words for Zod schemas. Imported as a whole, next to Zod:
 *
 * ```ts
 * import * as k8s from "@bowline/api/k8s";
 * import * as z from "zod";
 * ```
 *
 * An entry point of its own because it loads Zod, which a process without custom kinds does not need.
 */

// Rules
export { atLeastOneOf, atMostOneOf, exactlyOneOf, immutable, rule } from "./k8s-rules.ts";
export type { RuleOptions } from "./k8s-rules.ts";

// Lists and maps
export { atomic, listMap, maxProperties, minProperties, set } from "./k8s-lists.ts";

// Scalars
export { dateTime, duration, format, int64, intOrString, quantity } from "./k8s-scalars.ts";
export type { StringFormat } from "./k8s-scalars.ts";

// Objects
export {
  anyObject,
  builtinType,
  conditions,
  configMapKeySelector,
  embeddedResource,
  keywords,
  labelSelector,
  localObjectReference,
  objectReference,
  podTemplateSpec,
  raw,
  secretKeySelector,
  typedLocalObjectReference,
} from "./k8s-objects.ts";
export type { KeySelector, ObjectReference, TypedLocalObjectReference } from "./k8s-objects.ts";
