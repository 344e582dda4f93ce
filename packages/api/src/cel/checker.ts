/**
 * Finds the type of every part of an expression and what its names refer to, and reports what does not fit, in cel-go's
 * words. Source: cel-go checker/checker.go, errors.go.
 */
import type {
  CallNode,
  CelNode,
  ComprehensionNode,
  ListNode,
  MapNode,
  SelectNode,
  StructNode,
} from "./ast.ts";
import { crossTypeOverloads } from "./cross-type-overloads.ts";
import type { CelEnvironment, Identifier } from "./environment.ts";
import { type FunctionDeclaration, type Overload, typeParameters } from "./function.ts";
import type { CelIssue } from "./source.ts";
import {
  type CelType,
  celTypes,
  formatSignature,
  formatType,
  isDyn,
  isDynOrError,
  isOptionalType,
  listType,
  mapType,
  optionalType,
  sameType,
  typeParam,
  unwrapOptional,
} from "./type.ts";
import { areAssignable, type Bindings, isAssignable, mostGeneral, substitute } from "./unify.ts";
import { typeOfLiteral } from "./literal-type.ts";
import { walk } from "./ast.ts";

/** Annotates the tree with types and references; what is wrong is added to `issues`. */
export function check(root: CelNode, environment: CelEnvironment, issues: CelIssue[]): void {
  new Checker(environment, issues).run(root);
}

interface LocalIdentifier {
  readonly name: string;
  readonly type: CelType;
}

class Checker {
  readonly #env: CelEnvironment;
  readonly #issues: CelIssue[];
  readonly #scopes: LocalIdentifier[][] = [];
  #bindings: Bindings = new Map();
  #freeParameters = 0;

  constructor(environment: CelEnvironment, issues: CelIssue[]) {
    this.#env = environment;
    this.#issues = issues;
  }

  run(root: CelNode): void {
    this.#check(root);
    walk(root, (node) => {
      if (node.type !== undefined) node.type = substitute(this.#bindings, node.type, true);
    });
  }

  /** The type of a node; everything below is checked on the way. */
  #check(node: CelNode): CelType {
    const type = this.#typeOf(node);
    node.type = type;
    return type;
  }

  #typeOf(node: CelNode): CelType {
    switch (node.kind) {
      case "literal":
        return typeOfLiteral(node.value);
      case "ident":
        return this.#ident(node);
      case "select":
        return this.#select(node);
      case "call":
        return this.#call(node);
      case "list":
        return this.#list(node);
      case "map":
        return this.#map(node);
      case "struct":
        return this.#struct(node);
      case "comprehension":
        return this.#comprehension(node);
      default:
        this.#report(node.offset, "unexpected unspecified type: ");
        return celTypes.error;
    }
  }

  #ident(node: CelNode & { kind: "ident" }): CelType {
    const found = this.#resolve([node.name]);
    if (found === undefined) {
      this.#undeclared(node.offset, node.name);
      return celTypes.error;
    }
    return refer(node, found);
  }

  /** A variable by its simple or dotted name: locals hide globals, a leading dot skips locals. */
  #resolve(qualifiers: readonly string[]): Identifier | undefined {
    const [first = ""] = qualifiers;
    const local = this.#local(first.startsWith(".") ? first.slice(1) : first);
    const skipLocals = first.startsWith(".");
    if (local !== undefined && !skipLocals) return qualifiers.length === 1 ? local : undefined;
    for (const candidate of this.#env.candidates(qualifiers.join("."))) {
      const found = this.#env.identifier(candidate);
      if (found !== undefined) return local === undefined ? found : { ...found, name: `.${found.name}` };
    }
    return undefined;
  }

  #local(name: string): LocalIdentifier | undefined {
    for (let i = this.#scopes.length - 1; i >= 0; i--) {
      const found = this.#scopes[i]?.find((identifier) => identifier.name === name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #select(node: SelectNode): CelType {
    const qualifiers = qualifiedName(node);
    if (qualifiers !== undefined) {
      const found = this.#resolve(qualifiers);
      if (found !== undefined) return refer(node, found);
    }
    const type = this.#field(node.offset, node.operand, node.field, false);
    return node.testOnly ? celTypes.bool : substitute(this.#bindings, type, false);
  }

  #field(offset: number, operand: CelNode, field: string, optional: boolean): CelType {
    const operandType = substitute(this.#bindings, this.#check(operand), false);
    const target = unwrapOptional(operandType);
    const type = this.#fieldType(offset, target, field);
    return optional || isOptionalType(operandType) ? optionalType(type) : type;
  }

  #fieldType(offset: number, target: CelType, field: string): CelType {
    switch (target.kind) {
      case "map":
        return target.parameters[1] ?? celTypes.dyn;
      case "struct":
        return this.#declaredField(offset, target.name, field);
      case "typeParam":
        this.#assignable(celTypes.dyn, target);
        return celTypes.dyn;
      default:
        if (!isDynOrError(target)) {
          this.#report(offset, `type '${formatType(target)}' does not support field selection`);
        }
        return celTypes.dyn;
    }
  }

  #declaredField(offset: number, typeName: string, field: string): CelType {
    const fields = this.#env.structs.fields(typeName);
    const type = fields?.get(field);
    if (type !== undefined) return type;
    this.#report(
      offset,
      fields === undefined ? `unexpected failed resolution of '${typeName}'` : `undefined field '${field}'`,
    );
    return celTypes.error;
  }

  #call(node: CallNode): CelType {
    if (node.name === "_?._") return this.#optionalSelect(node);
    for (const argument of node.args) this.#check(argument);
    const target = node.target;
    const qualifiedTarget = target === undefined ? undefined : dottedName(target);
    if (target === undefined || qualifiedTarget !== undefined) {
      const name = qualifiedTarget === undefined ? node.name : `${qualifiedTarget}.${node.name}`;
      const found = this.#function(name);
      if (found !== undefined) {
        node.name = found.name;
        node.target = undefined;
        return this.#overloadType(node, found);
      }
    }
    if (target !== undefined) {
      this.#check(target);
      const found = this.#function(node.name);
      if (found !== undefined) return this.#overloadType(node, found);
    }
    this.#undeclared(node.offset, node.name);
    return celTypes.error;
  }

  #function(name: string): FunctionDeclaration | undefined {
    for (const candidate of this.#env.candidates(name)) {
      const found = this.#env.libraries.functions.get(candidate);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #optionalSelect(node: CallNode): CelType {
    const [operand, field] = node.args as [CelNode, CelNode];
    const name = field.kind === "literal" && typeof field.value === "string" ? field.value : "";
    const type = this.#field(node.offset, operand, name, true);
    field.type = celTypes.string;
    node.overloads = ["select_optional_field"];
    return substitute(this.#bindings, type, false);
  }

  #overloadType(node: CallNode, declared: FunctionDeclaration): CelType {
    if (declared.name === "_&&_" || declared.name === "_||_") return this.#logical(node, declared);
    const { target } = node;
    const nodes = target === undefined ? node.args : [target, ...node.args];
    const argumentTypes = nodes.map((argument) => argument.type ?? celTypes.error);
    const found = this.#matchingOverloads(declared, argumentTypes, target !== undefined);
    if (found !== undefined) {
      node.overloads = found.ids;
      return found.type;
    }
    const known = argumentTypes.map((type) => substitute(this.#bindings, type, true));
    const signature = formatSignature(known, target !== undefined);
    this.#report(node.offset, `found no matching overload for '${declared.name}' applied to '${signature}'`);
    return celTypes.error;
  }

  /** All overloads that fit, and their common result: the type if they agree, else dyn. */
  #matchingOverloads(
    declared: FunctionDeclaration,
    argumentTypes: readonly CelType[],
    member: boolean,
  ): { ids: string[]; type: CelType } | undefined {
    let type: CelType | undefined;
    const ids: string[] = [];
    for (const candidate of declared.overloads) {
      if (candidate.member !== member || this.#isDisabled(candidate)) continue;
      const fresh = this.#instantiate(candidate);
      const bindings = areAssignable(this.#bindings, argumentTypes, fresh.args);
      if (bindings === undefined) continue;
      this.#bindings = bindings;
      ids.push(candidate.id);
      const result = substitute(bindings, fresh.result, false);
      if (type === undefined) type = result;
      else if (!isDyn(type) && !sameType(result, type)) type = celTypes.dyn;
    }
    return type === undefined ? undefined : { ids, type };
  }

  #isDisabled(candidate: Overload): boolean {
    return !this.#env.crossTypeComparisons && crossTypeOverloads.has(candidate.id);
  }

  /** The signature with type parameters that nothing else uses. */
  #instantiate(candidate: Overload): { args: readonly CelType[]; result: CelType } {
    const names = typeParameters(candidate);
    if (names.size === 0) return candidate;
    const fresh: Bindings = new Map([...names].map((name) => [name, this.#newParameter()]));
    return {
      args: candidate.args.map((type) => substitute(fresh, type, false)),
      result: substitute(fresh, candidate.result, false),
    };
  }

  #logical(node: CallNode, declared: FunctionDeclaration): CelType {
    let fits = true;
    for (const argument of node.args) {
      const type = argument.type ?? celTypes.error;
      if (this.#assignable(type, celTypes.bool)) continue;
      this.#mismatch(argument.offset, celTypes.bool, type);
      fits = false;
    }
    node.overloads = declared.overloads.map((candidate) => candidate.id);
    return fits ? celTypes.bool : celTypes.error;
  }

  #list(node: ListNode): CelType {
    let itemType: CelType | undefined;
    node.elements.forEach((element, i) => {
      const type = this.#entryType(element, node.optionals.has(i));
      itemType = this.#join(itemType, type);
    });
    return listType(itemType ?? this.#newParameter());
  }

  #map(node: MapNode): CelType {
    let keyType: CelType | undefined;
    let valueType: CelType | undefined;
    for (const entry of node.entries) {
      keyType = this.#join(keyType, this.#check(entry.key));
      const type = this.#entryType(entry.value, entry.optional);
      valueType = this.#join(valueType, type);
    }
    return mapType(keyType ?? this.#newParameter(), valueType ?? this.#newParameter());
  }

  /** The type of an element, unwrapped when it is written `?e`. */
  #entryType(node: CelNode, optional: boolean): CelType {
    const type = this.#check(node);
    if (!optional) return type;
    if (!isOptionalType(type) && !isDyn(type)) this.#mismatch(node.offset, optionalType(type), type);
    return unwrapOptional(type);
  }

  #join(previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current;
    return this.#assignable(previous, current) ? mostGeneral(previous, current) : celTypes.dyn;
  }

  #struct(node: StructNode): CelType {
    const found = this.#env
      .candidates(node.name)
      .map((candidate) => this.#env.identifier(candidate))
      .find((identifier) => identifier !== undefined);
    if (found === undefined) {
      this.#undeclared(node.offset, node.name);
      return celTypes.error;
    }
    if (found.type.kind !== "type") {
      this.#report(node.offset, `'${formatType(found.type)}' is not a type`);
      return celTypes.error;
    }
    node.name = found.name;
    node.reference = found.name;
    const type = found.type.parameters[0] ?? celTypes.error;
    const isMessage = this.#env.structs.fields(found.name) !== undefined;
    if (!isMessage) this.#report(node.offset, `'${formatType(type)}' is not a message type`);
    for (const field of node.fields) this.#structField(found.name, field, isMessage);
    return isMessage ? type : celTypes.error;
  }

  #structField(typeName: string, field: StructNode["fields"][number], isMessage: boolean): void {
    const valueType = this.#check(field.value);
    const declared = isMessage ? this.#declaredField(field.offset, typeName, field.name) : celTypes.error;
    let type = valueType;
    if (field.optional) {
      if (!isOptionalType(type) && !isDyn(type)) this.#mismatch(field.value.offset, optionalType(type), type);
      type = unwrapOptional(type);
    }
    if (this.#assignable(declared, type)) return;
    const expected = `expected type of field '${field.name}' is '${formatType(declared)}'`;
    this.#report(field.offset, `${expected} but provided type is '${formatType(type)}'`);
  }

  #comprehension(node: ComprehensionNode): CelType {
    const range = this.#check(node.range);
    const accuType = this.#check(node.accuInit);
    const rangeType = substitute(this.#bindings, range, false);
    this.#scopes.push([{ name: node.accuVar, type: accuType }]);
    const [first, second] = this.#iterationTypes(node, rangeType);
    this.#scopes.push([{ name: node.iterVar, type: first }]);
    if (node.iterVar2 !== "")
      this.#scopes[this.#scopes.length - 1]?.push({ name: node.iterVar2, type: second });
    this.#check(node.condition);
    this.#assertType(node.condition, celTypes.bool);
    this.#check(node.step);
    this.#assertType(node.step, accuType);
    this.#scopes.pop();
    const result = this.#check(node.result);
    this.#scopes.pop();
    return substitute(this.#bindings, result, false);
  }

  #iterationTypes(node: ComprehensionNode, range: CelType): [CelType, CelType] {
    const two = node.iterVar2 !== "";
    const [first = celTypes.dyn, second = celTypes.dyn] = range.parameters;
    switch (range.kind) {
      case "list":
        return two ? [celTypes.int, first] : [first, first];
      case "map":
        return [first, second];
      case "dyn":
      case "any":
      case "error":
      case "typeParam":
        this.#assignable(celTypes.dyn, range);
        return [celTypes.dyn, celTypes.dyn];
      default: {
        const what = `expression of type '${formatType(range)}' cannot be range of a comprehension`;
        this.#report(node.range.offset, `${what} (must be list, map, or dynamic)`);
        return [celTypes.error, celTypes.error];
      }
    }
  }

  #assertType(node: CelNode, expected: CelType): void {
    const type = node.type ?? celTypes.error;
    if (!this.#assignable(expected, type)) this.#mismatch(node.offset, expected, type);
  }

  #assignable(from: CelType, to: CelType): boolean {
    const bindings = isAssignable(this.#bindings, from, to);
    if (bindings === undefined) return false;
    this.#bindings = bindings;
    return true;
  }

  #newParameter(): CelType {
    return typeParam(`_var${this.#freeParameters++}`);
  }

  #undeclared(offset: number, name: string): void {
    this.#report(offset, `undeclared reference to '${name}' (in container '${this.#env.container}')`);
  }

  #mismatch(offset: number, expected: CelType, actual: CelType): void {
    this.#report(offset, `expected type '${formatType(expected)}' but found '${formatType(actual)}'`);
  }

  #report(offset: number, message: string): void {
    this.#issues.push({ offset, message });
  }
}

function refer(node: CelNode, found: Identifier): CelType {
  node.reference = found.name;
  if (found.value !== undefined) node.constant = found.value;
  return found.type;
}

/** `a.b.c` as names, if it is only names. */
function qualifiedName(node: SelectNode): string[] | undefined {
  const names: string[] = [];
  let at: CelNode = node;
  while (at.kind === "select") {
    if (at.testOnly) return undefined;
    names.unshift(at.field);
    at = at.operand;
  }
  return at.kind === "ident" ? [at.name, ...names] : undefined;
}

function dottedName(node: CelNode): string | undefined {
  if (node.kind === "ident") return node.name;
  return node.kind === "select" ? qualifiedName(node)?.join(".") : undefined;
}
