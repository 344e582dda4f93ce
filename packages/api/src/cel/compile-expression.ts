/**
 * Expressions by themselves: for admission policies, match conditions, and whoever wants CEL over JSON.
 * Source: apiserver pkg/admission/plugin/cel (compile.go, activation.go).
 */
import type { Json } from "../object/object.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { ComputedMap } from "./computed-map.ts";
import { CelEnvironment, type StructTypes } from "./environment.ts";
import { type CelProgram, checkExpression, program } from "./expression.ts";
import {
  type AuthorizationQuestion,
  type Authorizer,
  authorizerType,
  authorizerValue,
  resourceCheckType,
  resourceCheckValue,
} from "./library/authorizer.ts";
import { kubernetesLibraries } from "./library/kubernetes.ts";
import { patchLibraries, withPatchTypes } from "./library/patch-types.ts";
import { resultJson } from "./result-json.ts";
import { callCostMax } from "./run-rules.ts";
import { type DeclaredType, declareSchema, declaredStructs } from "./schema-type.ts";
import { jsonShape, type Shape, shapeOf } from "./schema-shape.ts";
import { schemaValue } from "./schema-value.ts";
import { type CelType, celTypes, formatType, structType } from "./type.ts";
import { CelError, type CelValue } from "./value.ts";

/**
 * What a variable is: any JSON (`"dyn"`), JSON of a structural schema, an {@link Authorizer} that can be asked,
 * (`"resourceCheck"`) one that is only asked about the resource that is given with it, or {@link ComputedFields}.
 * Fields of a schema are checked when the expression is compiled, those of `"dyn"` when it is evaluated.
 */
export type ExpressionVariable = "dyn" | "authorizer" | "resourceCheck" | JsonSchema | ComputedFields;

/**
 * An object whose fields are the results of other expressions, with their types: the `variables` of an admission policy.
 * The value of such a variable has a {@link ComputedValue} for each field, usually behind a getter.
 */
export interface ComputedFields {
  readonly computed: ReadonlyMap<string, Expression>;
}

/** The result of an expression as CEL has it. Opaque: it is only for the fields of a computed variable. */
export type ComputedValue = { readonly __computed: true };

/** The value of a variable `"resourceCheck"`. */
export interface ResourceCheck {
  readonly authorizer: Authorizer;
  readonly resource: Omit<AuthorizationQuestion, "verb">;
}

export interface CompileExpressionOptions {
  /** The variables by name; a name may have dots (`authorizer.requestResource`). */
  readonly variables?: Readonly<Record<string, ExpressionVariable>>;
  /** Types of which the result must be one, as CEL prints them: `bool`, `string`, `list(string)`. Default: any. */
  readonly resultTypes?: readonly string[];
  /** True: the expression may build `JSONPatch{...}` and `Object{...}`, as those of mutating policies do. Default false. */
  readonly patchTypes?: boolean;
}

export interface EvaluateOptions {
  /** Cost units that the evaluation may use, by default as many as one rule of a custom resource. */
  readonly budget?: number;
}

/** The result of an evaluation: a value, or the reason why there is none. */
export interface ExpressionResult {
  /** undefined when the evaluation failed. Bytes are base64; durations and timestamps are text. */
  readonly value?: Json;
  /** Why it failed, in the words of the API server. */
  readonly error?: string;
  /** Cost units used. */
  readonly cost: number;
  /** True when it was stopped because it used more than its budget. */
  readonly budgetExceeded: boolean;
}

/** An expression, compiled once and evaluated often. */
export interface Expression {
  readonly text: string;
  /** The type of the result as CEL prints it, for example `bool` or `map(string, dyn)`. */
  readonly resultType: string;
  /**
   * Evaluates with the values of the variables. They are read, never copied or changed, and only as far as needed: a
   * property with a getter is computed when the expression asks for it. Never throws for what the expression does.
   */
  evaluate(values: Readonly<Record<string, unknown>>, options?: EvaluateOptions): ExpressionResult;
  /** Like `evaluate`, for a field of {@link ComputedFields}. */
  compute(values: Readonly<Record<string, unknown>>, options?: EvaluateOptions): ComputedResult;
}

/** Like an {@link ExpressionResult}. */
export interface ComputedResult extends Omit<ExpressionResult, "value"> {
  readonly value?: ComputedValue;
}

/** Types of compiled expressions, for those that are fields of others' variables. */
const typesOf = new WeakMap<Expression, CelType>();

/** The expression, or all that is wrong with it, as the API server would say after `compilation failed: `. */
export type CompiledExpression =
  | { readonly expression: Expression; readonly error?: undefined }
  | { readonly expression?: undefined; readonly error: string };

/** Compiles an expression with the libraries of Kubernetes. */
export function compileExpression(text: string, options: CompileExpressionOptions = {}): CompiledExpression {
  const readers = readersOf(options.variables ?? {});
  const checked = checkExpression(text, environmentOf(readers, options.patchTypes === true));
  if ("problem" in checked) return { error: checked.problem.text };
  const resultType = formatType(checked.expression.type);
  const { resultTypes } = options;
  if (resultTypes !== undefined && !resultTypes.includes(resultType)) {
    const wanted = resultTypes.length === 1 ? resultTypes[0] : `one of [${resultTypes.join(" ")}]`;
    return { error: `must evaluate to ${wanted} but got ${resultType}` };
  }
  const planned = program(checked.expression);
  if ("error" in planned) return { error: `program instantiation failed: ${planned.error}` };
  const expression = runnable(text, resultType, planned.program, readers);
  typesOf.set(expression, checked.expression.type);
  return { expression };
}

/** How a variable is declared and how its values are read. */
interface Reader {
  readonly type: CelType;
  readonly declared?: DeclaredType;
  /** Fields of a computed variable. */
  readonly fields?: ReadonlyMap<string, CelType>;
  read(value: unknown): CelValue;
}

function readersOf(variables: Readonly<Record<string, ExpressionVariable>>): ReadonlyMap<string, Reader> {
  return new Map(Object.entries(variables).map(([name, variable]) => [name, readerOf(name, variable)]));
}

function readerOf(name: string, variable: ExpressionVariable): Reader {
  if (variable === "dyn") return { type: celTypes.dyn, read: (value) => schemaValue(value, jsonShape) };
  if (variable === "authorizer") {
    return { type: authorizerType, read: (value) => authorizerValue(value as Authorizer) };
  }
  if (variable === "resourceCheck") {
    return {
      type: resourceCheckType,
      read(value) {
        const { authorizer, resource } = value as ResourceCheck;
        return resourceCheckValue(authorizer, resource);
      },
    };
  }
  if ("computed" in variable) return computedReader(name, variable as ComputedFields);
  // Not the variable's name: `request.kind` would then be a type as well as a field.
  const declared = declareSchema(variable, false, `kubernetes.${name}`);
  if (declared === undefined) return readerOf(name, "dyn");
  const shape: Shape = shapeOf(variable, false);
  return { type: declared.type, declared, read: (value) => schemaValue(value, shape) };
}

function computedReader(name: string, { computed }: ComputedFields): Reader {
  const fields = new Map([...computed].map(([field, of]) => [field, typesOf.get(of) ?? celTypes.dyn]));
  return {
    type: structType(`kubernetes.${name}`),
    fields,
    read: (value) => new ComputedMap(value as Readonly<Record<string, CelValue>>),
  };
}

function environmentOf(readers: ReadonlyMap<string, Reader>, patchTypes: boolean): CelEnvironment {
  const all = [...readers];
  const declarations = all.flatMap(([, { declared }]) => (declared === undefined ? [] : [declared]));
  const structs = new Map(declarations.flatMap((declared) => [...declaredStructs(declared)]));
  for (const [, { type, fields }] of all) if (fields !== undefined) structs.set(type.name, fields);
  const declared: StructTypes = { fields: (name) => structs.get(name) };
  return new CelEnvironment(patchTypes ? patchLibraries : kubernetesLibraries, {
    variables: Object.fromEntries(all.map(([name, { type }]) => [name, type])),
    structs: patchTypes ? withPatchTypes(declared) : declared,
  });
}

function runnable(
  text: string,
  resultType: string,
  compiled: CelProgram,
  readers: ReadonlyMap<string, Reader>,
): Expression {
  const run = (
    values: Readonly<Record<string, unknown>>,
    { budget = callCostMax }: EvaluateOptions = {},
  ): ReturnType<CelProgram["evaluate"]> =>
    compiled.evaluate((name) => {
      const given = values[name];
      return given === undefined ? undefined : readers.get(name)?.read(given);
    }, budget);
  return {
    text,
    resultType,
    evaluate(values, options) {
      const { value, error, cost, limitExceeded } = run(values, options);
      if (value === undefined) return { error: error ?? "", cost, budgetExceeded: limitExceeded };
      return jsonResult(value, cost);
    },
    compute(values, options) {
      const { value, error, cost, limitExceeded } = run(values, options);
      if (value === undefined) return { error: error ?? "", cost, budgetExceeded: limitExceeded };
      return { value: value as unknown as ComputedValue, cost, budgetExceeded: false };
    },
  };
}

/** Reading the result may fail too: lists and maps are read only now. */
function jsonResult(value: CelValue, cost: number): ExpressionResult {
  try {
    return { value: resultJson(value), cost, budgetExceeded: false };
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return { error: error.message, cost, budgetExceeded: false };
  }
}
