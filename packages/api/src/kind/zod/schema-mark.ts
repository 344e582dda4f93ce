/**
 * How what only Kubernetes knows rides on a Zod schema: as a check, so that `.check(k8s.immutable())` reads like any other
 * Zod constraint and survives chaining. Made without importing Zod, which would cost every process that never defines a
 * kind its loading time.
 */
import type * as z from "zod";
import type { JsonSchema, ValidationRule } from "../../schema/json-schema.ts";

/** What a mark says about the schema that it is on. */
export type SchemaMark =
  /** One more CEL rule; `fields` are properties that the rule names, checked for existence at definition. */
  | { readonly say: "rule"; readonly rule: ValidationRule; readonly fields?: readonly string[] }
  /** Keywords added to what the Zod construct converts to. */
  | { readonly say: "keywords"; readonly keywords: Readonly<JsonSchema> }
  /** The whole schema: the Zod construct below is not looked at. */
  | { readonly say: "schema"; readonly schema: Readonly<JsonSchema> }
  /** One owner for the whole list or object in server-side apply. */
  | { readonly say: "atomic" };

const markKey = Symbol.for("bowline.schemaMark");

interface MarkedDef extends z.core.$ZodCheckDef {
  readonly [markKey]: SchemaMark;
}

/**
 * A Zod check that carries a mark.
 * @param refuse gives the issue's text when the value is wrong, so that Zod refuses what the API server refuses
 */
export function markCheck<T = unknown>(
  mark: SchemaMark,
  refuse?: (value: T) => string | undefined,
): z.core.$ZodCheck<T> {
  const def: MarkedDef = { check: "custom", [markKey]: mark };
  return {
    _zod: {
      def,
      onattach: [],
      check(payload) {
        const message = refuse?.(payload.value);
        if (message !== undefined) {
          payload.issues.push({ code: "custom", message, input: payload.value, continue: true });
        }
      },
    },
  };
}

/** The mark that a check carries, or undefined for checks of Zod's own and of users. */
export function markOf(check: z.core.$ZodCheck): SchemaMark | undefined {
  return (check._zod.def as Partial<MarkedDef>)[markKey];
}
