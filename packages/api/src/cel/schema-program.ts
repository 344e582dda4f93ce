/**
 * The rules of one place of a schema, compiled. Source: apiextensions-apiserver pkg/apiserver/schema/cel/compilation.go.
 */
import type { JsonSchema, ValidationRule } from "../schema/json-schema.ts";
import { estimateCost, type SizeOfPath } from "./cost-estimate.ts";
import { CelEnvironment, type StructTypes } from "./environment.ts";
import { type CelProgram, checkExpression, program, usesVariable } from "./expression.ts";
import { fieldPathOf } from "./schema-field-path.ts";
import { kubernetesLibraries } from "./library/kubernetes.ts";
import { type DeclaredType, declaredStructs, requestSizeMax } from "./schema-type.ts";
import { type CelType, celTypes, optionalType } from "./type.ts";

export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Absent when the rule is empty or wrong. */
  readonly program?: CelProgram;
  /** Why it does not compile. */
  readonly error?: string;
  readonly usesOldSelf: boolean;
  /** Most that one evaluation can cost. */
  readonly costMax: number;
  readonly message?: CelProgram;
  readonly messageError?: string;
  readonly messageCostMax: number;
  /** Where errors are reported, relative to the place of the rule. */
  readonly fieldPath?: string;
}

/** How often a value that small can be in a request, at most. */
export function occurrencesMax(declared: DeclaredType): number {
  return Math.floor(requestSizeMax / (declared.jsonSizeMin + 1));
}

interface RuleEnvironments {
  readonly plain: CelEnvironment;
  readonly optional: CelEnvironment;
  readonly sizeOfPath: SizeOfPath;
}

/** Compiles all rules of a place; `declared` is what its schema declares. */
export function compileRules(schema: JsonSchema, declared: DeclaredType): CompiledRule[] {
  const rules = schema["x-kubernetes-validations"] ?? [];
  if (rules.length === 0) return [];
  const structs = structsOf(declared);
  const environment = (oldSelf: CelType): CelEnvironment =>
    new CelEnvironment(kubernetesLibraries, { structs, variables: { self: declared.type, oldSelf } });
  const environments: RuleEnvironments = {
    plain: environment(declared.type),
    optional: environment(optionalType(declared.type)),
    sizeOfPath: sizesOf(declared),
  };
  return rules.map((rule) => compileRule(schema, rule, environments));
}

function structsOf(declared: DeclaredType): StructTypes {
  const structs = declaredStructs(declared);
  return { fields: (name) => structs.get(name) };
}

function sizesOf(root: DeclaredType): SizeOfPath {
  return (path) => {
    let at: DeclaredType | undefined = root;
    for (const step of path.slice(1)) {
      at = stepInto(at, step);
      if (at === undefined) return undefined;
    }
    return { min: 0, max: at.sizeMax };
  };
}

function stepInto(declared: DeclaredType, step: string): DeclaredType | undefined {
  if (step === "@items" || step === "@values") return declared.element;
  if (step === "@keys") return declared.isMap ? mapKey : undefined;
  return declared.fields?.get(step);
}

/** The declaration of strings as such knows no length, and 0 stands for that. */
const mapKey: DeclaredType = { type: celTypes.string, sizeMax: 0, jsonSizeMin: 2 };

function compileRule(schema: JsonSchema, rule: ValidationRule, environments: RuleEnvironments): CompiledRule {
  const none: CompiledRule = { rule, usesOldSelf: false, costMax: 0, messageCostMax: 0 };
  if (rule.rule.trim() === "") return none;
  const environment = rule.optionalOldSelf === true ? environments.optional : environments.plain;
  const checked = checkExpression(rule.rule, environment);
  if ("problem" in checked) return { ...none, error: `compilation failed: ${checked.problem.text}` };
  const { expression } = checked;
  if (expression.type.kind !== "bool") return { ...none, error: "cel expression must evaluate to a bool" };
  const usesOldSelf = usesVariable(expression, "oldSelf");
  const planned = program(expression);
  if ("error" in planned)
    return { ...none, usesOldSelf, error: `program instantiation failed: ${planned.error}` };
  const costMax = estimateCost(expression.node, environments.sizeOfPath).max;
  const message = compileMessage(rule, environment, environments.sizeOfPath);
  // As in the API server, a wrong message expression also keeps the field path from being used.
  const wanted = message.messageError === undefined ? rule.fieldPath : undefined;
  const fieldPath = wanted === undefined ? undefined : fieldPathOf(wanted, schema);
  return {
    ...none,
    ...planned,
    usesOldSelf,
    costMax,
    ...message,
    ...(typeof fieldPath === "object" ? { fieldPath: fieldPath.path } : {}),
  };
}

function compileMessage(
  rule: ValidationRule,
  environment: CelEnvironment,
  sizeOfPath: SizeOfPath,
): Pick<CompiledRule, "message" | "messageError" | "messageCostMax"> {
  const text = rule.messageExpression;
  if (text === undefined || text === "") return { messageCostMax: 0 };
  const checked = checkExpression(text, environment);
  const failed = (messageError: string): { messageError: string; messageCostMax: number } => ({
    messageError,
    messageCostMax: 0,
  });
  if ("problem" in checked) return failed(`messageExpression compilation failed: ${checked.problem.text}`);
  if (checked.expression.type.kind !== "string") return failed("messageExpression must evaluate to a string");
  const planned = program(checked.expression);
  if ("error" in planned) return failed(`messageExpression instantiation failed: ${planned.error}`);
  return { message: planned.program, messageCostMax: estimateCost(checked.expression.node, sizeOfPath).max };
}
