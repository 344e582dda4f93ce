/**
 * The rules of a schema as a tree of the places that have some at or below them.
 * Source: apiextensions-apiserver pkg/apiserver/schema/cel/validation.go (validator).
 */
import type { JsonSchema } from "../schema/json-schema.ts";
import { escapeName } from "./schema-escape.ts";
import { type CompiledRule, compileRules } from "./schema-program.ts";
import { type DeclaredType, declareSchema } from "./schema-type.ts";
import { type Shape, shapeOf } from "./schema-shape.ts";

export interface RuleNode {
  readonly schema: JsonSchema;
  readonly rules: readonly CompiledRule[];
  /** How values are read. */
  readonly shape: Shape;
  /** Why no rule of this place could be compiled. */
  readonly error?: string;
  readonly usesOldSelf: boolean;
  readonly items?: RuleNode;
  readonly values?: RuleNode;
  readonly fields?: ReadonlyMap<string, RuleNode>;
  readonly allOf: readonly RuleNode[];
  readonly correlatesFields: boolean;
}

/** The tree of a schema, undefined when it has no rules. */
export function compileRuleTree(schema: JsonSchema, isResource: boolean): RuleNode | undefined {
  if (!hasRules(schema)) return undefined;
  return compileNode(schema, schema, isResource, declareSchema(schema, isResource));
}

/** Whether there are rules outside of `allOf`; rules that are only there do not count, as in the API server. */
function hasRules(schema: JsonSchema): boolean {
  if ((schema["x-kubernetes-validations"] ?? []).length > 0) return true;
  const { items, additionalProperties } = schema;
  if (items !== undefined && !Array.isArray(items) && hasRules(items)) return true;
  if (typeof additionalProperties === "object" && hasRules(additionalProperties)) return true;
  return Object.values(schema.properties ?? {}).some(hasRules);
}

/** `rules` has the rules; `schema`, the same place of the structure, has the types. They differ below `allOf`. */
function compileNode(
  rules: JsonSchema,
  schema: JsonSchema,
  isResource: boolean,
  declared: DeclaredType | undefined,
): RuleNode | undefined {
  const own = rules["x-kubernetes-validations"] ?? [];
  const withRules = own.length === 0 ? schema : { ...schema, "x-kubernetes-validations": own };
  const compiled = own.length === 0 || declared === undefined ? [] : compileRules(withRules, declared);
  const children = compileChildren(rules, schema, declared);
  const allOf = (rules.allOf ?? [])
    .map((branch) => compileNode(branch, schema, isResource, declared))
    .filter((branch) => branch !== undefined);
  const unreadable = own.length > 0 && declared === undefined;
  if (compiled.length === 0 && !unreadable && allOf.length === 0 && Object.keys(children).length === 0) {
    return undefined;
  }
  const mapType = schema["x-kubernetes-map-type"];
  return {
    schema,
    rules: compiled,
    shape: shapeOf(schema, isResource),
    ...(unreadable ? { error: "failed to convert to declType for CEL validation rules" } : {}),
    usesOldSelf: compiled.some((rule) => rule.usesOldSelf),
    ...children,
    allOf,
    correlatesFields: mapType === undefined || mapType === "granular" || mapType === "atomic",
  };
}

function compileChildren(
  rules: JsonSchema,
  schema: JsonSchema,
  declared: DeclaredType | undefined,
): Pick<RuleNode, "items" | "values" | "fields"> {
  const element = declared?.element;
  const items = compileElement(single(rules.items), single(schema.items), element);
  const values = compileElement(
    objectOf(rules.additionalProperties),
    objectOf(schema.additionalProperties),
    element,
  );
  const fields = new Map<string, RuleNode>();
  for (const [name, child] of Object.entries(rules.properties ?? {})) {
    const place = schema.properties?.[name];
    if (place === undefined || (declared === undefined && escapeName(name) !== undefined)) continue;
    const node = compileField(child, place, name, declared);
    if (node !== undefined) fields.set(name, node);
  }
  return {
    ...(items === undefined ? {} : { items }),
    ...(values === undefined ? {} : { values }),
    ...(fields.size === 0 ? {} : { fields }),
  };
}

/** A field that expressions of its parent cannot see has no rules of its own either, unless only its name is odd. */
function compileField(
  rules: JsonSchema,
  schema: JsonSchema,
  name: string,
  parent: DeclaredType | undefined,
): RuleNode | undefined {
  const isResource = schema["x-kubernetes-embedded-resource"] === true;
  const identifier = escapeName(name);
  const declared =
    identifier === undefined ? declareSchema(schema, isResource) : parent?.fields?.get(identifier);
  return declared === undefined ? undefined : compileNode(rules, schema, isResource, declared);
}

function compileElement(
  rules: JsonSchema | undefined,
  schema: JsonSchema | undefined,
  declared: DeclaredType | undefined,
): RuleNode | undefined {
  if (rules === undefined || schema === undefined) return undefined;
  return compileNode(rules, schema, schema["x-kubernetes-embedded-resource"] === true, declared);
}

function single(items: JsonSchema["items"]): JsonSchema | undefined {
  return Array.isArray(items) ? undefined : items;
}

function objectOf(schema: JsonSchema | boolean | undefined): JsonSchema | undefined {
  return typeof schema === "object" ? schema : undefined;
}
