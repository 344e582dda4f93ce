/**
 * Compiles a checked syntax tree to closures, once; evaluating is then calling them. Costs follow what cel-go's
 * interpreter counts, with its optimisations on (constant lists, maps and conversions are computed now).
 * Source: cel-go interpreter/planner.go, interpretable.go, decorators.go.
 */
import type { CelNode, ListNode, MapNode, SelectNode, StructNode } from "./ast.ts";
import { isPresent, qualify, qualifyOptional } from "./access.ts";
import { planCall } from "./compile-call.ts";
import { planComprehension } from "./compile-comprehension.ts";
import { listCreateCost, mapCreateCost, structCreateCost } from "./cost-rules.ts";
import type { CelEnvironment } from "./environment.ts";
import { NativeMap } from "./native-map.ts";
import { constantPlan, counted, type Evaluate, type Frame, type Plan, type Planner } from "./plan.ts";
import { CelError, CelMap, CelOptional, type CelValue } from "./value.ts";
import { valueText } from "./value-text.ts";

export interface CompiledExpression {
  /** Counts its cost in the frame. Throws `CelError` and `CostLimitExceeded`. */
  readonly evaluate: Evaluate;
  /** The environment's variables that are used; the value of each belongs into the slot of its index. */
  readonly variables: readonly string[];
  readonly slotCount: number;
}

/** Throws a `CelError` when a part that is constant has no value, for example `int("x")`. */
export function compileNode(root: CelNode, environment: CelEnvironment): CompiledExpression {
  const compiler = new Compiler(environment);
  const plan = compiler.plan(root);
  return { evaluate: counted(plan), variables: compiler.variables, slotCount: compiler.slotCount };
}

/** A value that is put into slots so that reading them is an error. */
const unset = undefined;

interface Local {
  readonly name: string;
  readonly read: Evaluate;
}

class Compiler implements Planner {
  readonly environment: CelEnvironment;
  readonly #locals: Local[] = [];
  /** Slot of each name: variables of the environment, and locals under a name of their own. */
  readonly #slots: string[] = [];
  #localCount = 0;

  constructor(environment: CelEnvironment) {
    this.environment = environment;
  }

  /** Names by slot; the slots of the expression's own variables have an empty name. */
  get variables(): readonly string[] {
    return this.#slots.map((name) => (name.startsWith("#") ? "" : name));
  }

  get slotCount(): number {
    return this.#slots.length;
  }

  plan(node: CelNode): Plan {
    switch (node.kind) {
      case "literal":
        return constantPlan(node.value);
      case "ident":
        return this.#ident(node);
      case "select":
        return this.#select(node);
      case "call":
        return planCall(node, this);
      case "list":
        return this.#list(node);
      case "map":
        return this.#map(node);
      case "struct":
        return this.#struct(node);
      case "comprehension":
        return planComprehension(node, this);
      default:
        throw new CelError("unspecified expression");
    }
  }

  withLocal<T>(name: string, read: (slot: number) => Evaluate, body: (slot: number) => T): T {
    const slot = this.#slots.length;
    this.#slots.push(`#${this.#localCount++}`);
    this.#locals.push({ name, read: read(slot) });
    try {
      return body(slot);
    } finally {
      this.#locals.pop();
    }
  }

  #ident(node: CelNode & { kind: "ident" }): Plan {
    if (node.constant !== undefined) return constantPlan(node.constant);
    const local = this.#local(node.name);
    if (local !== undefined) return { evaluate: local.read, cost: 1, attributeCost: 1 };
    return this.#variable(node.reference ?? node.name);
  }

  #local(name: string): Local | undefined {
    if (name.startsWith(".")) return undefined;
    for (let i = this.#locals.length - 1; i >= 0; i--)
      if (this.#locals[i]?.name === name) return this.#locals[i];
    return undefined;
  }

  #variable(reference: string): Plan {
    const name = reference.startsWith(".") ? reference.slice(1) : reference;
    let slot = this.#slots.indexOf(name);
    if (slot < 0) slot = this.#slots.push(name) - 1;
    return { evaluate: readSlot(slot, name), cost: 1, attributeCost: 1 };
  }

  #select(node: SelectNode): Plan {
    if (node.constant !== undefined) return constantPlan(node.constant);
    if (node.reference !== undefined) return this.#variable(node.reference);
    const operand = this.plan(node.operand);
    const { evaluate } = operand;
    const { field } = node;
    if (node.testOnly) {
      const cost = operand.cost - (operand.attributeCost ?? 0) + 1;
      return { evaluate: (frame) => isPresent(evaluate(frame), field), cost, attributeCost: 0 };
    }
    return { evaluate: selectField(evaluate, field), ...accessCost(operand) };
  }

  #list(node: ListNode): Plan {
    const elements = node.elements.map((element) => this.plan(element));
    if (elements.every((element) => element.constant !== undefined) && node.optionals.size === 0) {
      return constantPlan(elements.map((element) => (element.constant as { value: CelValue }).value));
    }
    const cost = elements.reduce((sum, element) => sum + element.cost, listCreateCost);
    const parts = elements.map((element) => element.evaluate);
    if (node.optionals.size === 0) return { evaluate: (frame) => parts.map((part) => part(frame)), cost };
    const optionals = parts.map((_, i) => node.optionals.has(i));
    return { evaluate: (frame) => optionalList(frame, parts, optionals), cost };
  }

  #map(node: MapNode): Plan {
    const entries = node.entries.map((entry) => ({
      key: this.plan(entry.key),
      value: this.plan(entry.value),
      optional: entry.optional,
    }));
    const create = (frame: Frame): CelValue => createMap(frame, entries);
    const isConstant = entries.every((e) => !e.optional && e.key.constant && e.value.constant);
    if (isConstant) return constantPlan(create({ cost: 0, limit: Number.POSITIVE_INFINITY, slots: [] }));
    return {
      evaluate: create,
      cost: entries.reduce((sum, e) => sum + e.key.cost + e.value.cost, mapCreateCost),
    };
  }

  #struct(node: StructNode): Plan {
    const fields = node.fields.map((field) => ({ ...field, plan: this.plan(field.value) }));
    const { structs } = this.environment;
    const evaluate: Evaluate = (frame) => {
      const values = new Map<string, CelValue>();
      for (const field of fields) {
        const value = field.plan.evaluate(frame);
        if (!field.optional) values.set(field.name, value);
        else if (unwrapEntry(field.name, value) !== undefined) {
          values.set(field.name, unwrapEntry(field.name, value) as CelValue);
        }
      }
      if (structs.create === undefined) throw new CelError(`unknown type '${node.name}'`);
      return structs.create(node.name, values);
    };
    return { evaluate, cost: fields.reduce((sum, field) => sum + field.plan.cost, structCreateCost) };
  }
}

function readSlot(slot: number, name: string): Evaluate {
  return (frame) => {
    const value = frame.slots[slot];
    if (value === unset) throw new CelError(`no such attribute(s): ${name}`);
    return value as CelValue;
  };
}

/** One more for the selection; on what is no variable also one for the access as such. */
export function accessCost(operand: Plan): { cost: number; attributeCost: number } {
  const { attributeCost } = operand;
  if (attributeCost !== undefined) return { cost: operand.cost + 1, attributeCost };
  return { cost: operand.cost + 2, attributeCost: 1 };
}

function selectField(evaluate: Evaluate, field: string): Evaluate {
  return (frame) => {
    const value = evaluate(frame);
    if (value instanceof CelMap) {
      const found = value.get(field);
      if (found !== undefined) return found;
    }
    if (value instanceof CelOptional) return countedOptional(frame, value, field);
    return qualify(value, field);
  };
}

/** An optional selection costs its unit only when there is something. */
export function countedOptional(frame: Frame, value: CelValue, key: CelValue): CelOptional {
  const found = qualifyOptional(value, key);
  if (found.value === undefined) frame.cost--;
  return found;
}

function optionalList(frame: Frame, parts: readonly Evaluate[], optionals: readonly boolean[]): CelValue[] {
  const items: CelValue[] = [];
  parts.forEach((part, i) => {
    const value = part(frame);
    if (!optionals[i]) items.push(value);
    else if (!(value instanceof CelOptional)) {
      throw new CelError(
        `cannot initialize optional list element from non-optional value ${valueText(value)}`,
      );
    } else if (value.value !== undefined) items.push(value.value);
  });
  return items;
}

interface PlannedEntry {
  readonly key: Plan;
  readonly value: Plan;
  readonly optional: boolean;
}

function createMap(frame: Frame, entries: readonly PlannedEntry[]): CelValue {
  const pairs: [CelValue, CelValue][] = [];
  for (const entry of entries) {
    const key = entry.key.evaluate(frame);
    const value = entry.value.evaluate(frame);
    if (!entry.optional) pairs.push([key, value]);
    else {
      const inner = unwrapEntry(valueText(key), value);
      if (inner !== undefined) pairs.push([key, inner]);
    }
  }
  return new NativeMap(pairs);
}

function unwrapEntry(key: string, value: CelValue): CelValue | undefined {
  if (value instanceof CelOptional) return value.value;
  throw new CelError(`cannot initialize optional entry '${key}' from non-optional value ${valueText(value)}`);
}
