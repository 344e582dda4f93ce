/**
 * Checks the CEL rules of a CustomResourceDefinition's schema as the API server does when the CRD is created.
 * Source: apiextensions-apiserver pkg/apis/apiextensions/validation (validation.go, cel_validation.go).
 */
import type { JsonSchema, ValidationRule } from "../schema/json-schema.ts";
import type { FieldError } from "../status/field-error.ts";
import { goStruct } from "../status/go-text.ts";
import { ruleTextErrors } from "./rule-text.ts";
import { compileRules, type CompiledRule, occurrencesMax } from "./schema-program.ts";
import { type DeclaredType, declareSchema } from "./schema-type.ts";
import { escapeName } from "./schema-escape.ts";

/** Most that a rule may be estimated to cost, all its evaluations on one object together. */
export const ruleCostMax: number = 10_000_000;
/** Most that all rules of a schema may be estimated to cost. */
export const schemaCostMax: number = 100_000_000;

export interface SchemaRulesCheckOptions {
  /** Where the schema is, for example `spec.validation.openAPIV3Schema`. */
  readonly path: string;
  /**
   * What the other checks of the same schema found, with paths below `path`. Rules of a schema with an error at its own
   * place or deeper are not compiled, as in the API server.
   */
  readonly schemaErrors?: readonly FieldError[];
  /** False: only the texts of the rules are checked (the schema is not structural). Default true. */
  readonly compile?: boolean;
  /** False: the limit per rule is not enforced (a stored schema that an update leaves alone). Default true. */
  readonly limitRuleCost?: boolean;
}

/**
 * All that is wrong with the `x-kubernetes-validations` of a schema and its children: texts, field paths, reasons,
 * compile errors in cel-go's words, estimated costs, places where `oldSelf` cannot be used.
 */
export function checkSchemaRules(schema: JsonSchema, options: SchemaRulesCheckOptions): FieldError[] {
  return new SchemaRulesChecker(options).run(schema);
}

/** A place in the schema that is being checked. */
interface Place {
  readonly schema: JsonSchema;
  readonly path: string;
  /** The declaration of the schema, if that of the parent holds it. */
  readonly declared: DeclaredType | undefined;
  readonly isResource: boolean;
  /** Whether expressions are compiled here: not below `not`, `anyOf` and the like. */
  readonly compiles: boolean;
  /** How often a value can be here in one object; undefined without a bound. */
  readonly occurrences: number | undefined;
  /** The place below which values have no counterpart in the old object. */
  readonly uncorrelatable: string | undefined;
}

interface ExpensiveRule {
  readonly path: string;
  readonly cost: number;
}

class SchemaRulesChecker {
  readonly #options: SchemaRulesCheckOptions;
  readonly #textErrors: FieldError[] = [];
  readonly #errors: FieldError[] = [];
  #total = 0;
  #expensive: ExpensiveRule[] = [];

  constructor(options: SchemaRulesCheckOptions) {
    this.#options = options;
  }

  run(schema: JsonSchema): FieldError[] {
    const { path, compile = true } = this.#options;
    this.#place({
      schema,
      path,
      declared: undefined,
      isResource: true,
      compiles: compile,
      occurrences: 1,
      uncorrelatable: undefined,
    });
    return [...this.#textErrors, ...this.#errors, ...this.#totalErrors()];
  }

  /** Checks a schema after those below it. Returns whether something there or deeper is wrong with the texts. */
  #place(place: Place): boolean {
    const { schema, path } = place;
    let broken = this.#children(place);
    const rules = schema["x-kubernetes-validations"] ?? [];
    if (rules.length === 0) return broken;
    const found = rules.flatMap((rule, i) =>
      ruleTextErrors(rule, schema, `${path}.x-kubernetes-validations[${i}]`),
    );
    this.#textErrors.push(...found);
    broken ||= found.length > 0;
    if (place.compiles && !broken && !this.#hasSchemaError(path)) this.#compile(place);
    return broken;
  }

  #children(place: Place): boolean {
    const { schema, path } = place;
    let broken = false;
    const visit = (child: Place): void => {
      if (this.#place(child)) broken = true;
    };
    if (typeof schema.additionalProperties === "object") {
      const element = place.declared?.element;
      visit(this.#child(place, schema.additionalProperties, `${path}.additionalProperties`, element));
    }
    for (const [name, child] of Object.entries(schema.properties ?? {})) {
      const declared = place.declared?.fields?.get(escapeName(name) ?? "");
      const at = this.#child(place, child, `${path}.properties[${name}]`, declared);
      const correlates = mapCorrelates(schema);
      visit(correlates ? at : { ...at, uncorrelatable: path });
    }
    for (const [keyword, child] of junctors(schema)) {
      visit({ ...this.#child(place, child, `${path}.${keyword}`, undefined), compiles: false });
    }
    if (schema.items !== undefined && !Array.isArray(schema.items)) {
      const at = this.#child(place, schema.items, `${path}.items`, place.declared?.element);
      visit(schema["x-kubernetes-list-type"] === "map" ? at : { ...at, uncorrelatable: path });
    }
    return broken;
  }

  #child(parent: Place, schema: JsonSchema, path: string, declared: DeclaredType | undefined): Place {
    const elements = elementsMax(parent.schema);
    const { occurrences } = parent;
    return {
      ...parent,
      schema,
      path,
      declared,
      isResource: schema["x-kubernetes-embedded-resource"] === true,
      occurrences: occurrences === undefined || elements === undefined ? undefined : occurrences * elements,
    };
  }

  #hasSchemaError(path: string): boolean {
    const { schemaErrors = [] } = this.#options;
    return schemaErrors.some(
      ({ field }) => field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`),
    );
  }

  #compile(place: Place): void {
    const { schema, path } = place;
    const at = `${path}.x-kubernetes-validations`;
    const declared = place.declared ?? declareSchema(schema, place.isResource);
    if (declared === undefined) {
      const reason = "unable to convert structural schema to CEL declarations";
      const detail = `internal error: failed to construct type information for x-kubernetes-validations rules: ${reason}`;
      this.#errors.push({ type: "InternalError", field: at, detail });
      return;
    }
    compileRules(schema, declared).forEach((compiled, i) => {
      this.#rule(compiled, place, `${at}[${i}]`, declared);
    });
  }

  #rule(compiled: CompiledRule, place: Place, path: string, declared: DeclaredType): void {
    const { rule } = compiled;
    const times = place.occurrences ?? occurrencesMax(declared);
    const cost = compiled.costMax === 0 ? 0 : compiled.costMax * times;
    this.#cost(`${path}.rule`, "estimated rule cost", cost);
    if (compiled.error !== undefined) {
      this.#errors.push({
        type: "Invalid",
        field: `${path}.rule`,
        badValue: printedRule(rule),
        detail: compiled.error,
      });
    }
    if (compiled.messageError !== undefined) {
      const field = `${path}.messageExpression`;
      this.#errors.push({
        type: "Invalid",
        field,
        badValue: printedRule(rule),
        detail: compiled.messageError,
      });
    } else if (compiled.message !== undefined) {
      this.#cost(`${path}.messageExpression`, "estimated messageExpression cost", compiled.messageCostMax);
    }
    this.#oldSelf(compiled, place, path);
  }

  #cost(field: string, what: string, cost: number): void {
    if (this.#options.limitRuleCost !== false && cost > ruleCostMax) {
      this.#errors.push({ type: "Forbidden", field, detail: costText(what, cost, ruleCostMax) });
    }
    this.#total += cost;
    if (cost < schemaCostMax / 100) return;
    this.#expensive.push({ path: field, cost });
    this.#expensive.sort((a, b) => b.cost - a.cost);
    this.#expensive = this.#expensive.slice(0, 4);
  }

  #oldSelf({ rule, usesOldSelf }: CompiledRule, place: Place, path: string): void {
    if (!usesOldSelf) {
      if (rule.optionalOldSelf === undefined) return;
      const detail = "may not be set if oldSelf is not used in rule";
      const field = `${path}.optionalOldSelf`;
      this.#errors.push({ type: "Invalid", field, badValue: rule.optionalOldSelf, detail });
      return;
    }
    if (place.uncorrelatable === undefined) return;
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatable}`;
    this.#errors.push({ type: "Invalid", field: `${path}.rule`, badValue: rule.rule, detail });
  }

  #totalErrors(): FieldError[] {
    if (this.#total <= schemaCostMax) return [];
    const detail =
      "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    return [
      ...this.#expensive.map(({ path }): FieldError => ({ type: "Forbidden", field: path, detail })),
      { type: "Forbidden", field: this.#options.path, detail: costText(what, this.#total, schemaCostMax) },
    ];
  }
}

/** The rule as messages print it: Go's own struct, with all its fields. */
function printedRule(rule: ValidationRule): unknown {
  return goStruct({
    Rule: rule.rule,
    Message: rule.message ?? "",
    MessageExpression: rule.messageExpression ?? "",
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? "",
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  });
}

/** Whether the entries of an object correspond to those of the old one. */
function mapCorrelates(schema: JsonSchema): boolean {
  const mapType = schema["x-kubernetes-map-type"];
  return mapType === undefined || mapType === "granular" || mapType === "atomic";
}

function junctors(schema: JsonSchema): [keyword: string, schema: JsonSchema][] {
  const all: [string, JsonSchema][] = schema.not === undefined ? [] : [["not", schema.not]];
  for (const keyword of ["allOf", "oneOf", "anyOf"] as const) {
    all.push(...(schema[keyword] ?? []).map((child, i): [string, JsonSchema] => [`${keyword}[${i}]`, child]));
  }
  return all;
}

/** How many children a value of the schema can have; undefined without a bound. */
function elementsMax(schema: JsonSchema): number | undefined {
  const bound = (max: number | undefined): number | undefined =>
    max === undefined ? undefined : Math.max(max, 0);
  if (schema.type === "object" && schema.additionalProperties !== undefined)
    return bound(schema.maxProperties);
  return schema.type === "array" ? bound(schema.maxItems) : 1;
}

function costText(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const times =
    factor > 100 ? "more than 100x" : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  const advice =
    "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared";
  return `${what} exceeds budget by factor of ${times} (${advice})`;
}
