/** All that an expression can refer to: variables, functions, macros, types. Source: cel-go checker/env.go, cel/env.go. */
import type { FunctionDeclaration } from "./function.ts";
import type { Macro, Macros } from "./macros.ts";
import { type CelType, celTypes, structType, typeOfType } from "./type.ts";
import type { CelValue } from "./value.ts";

/** A group of declarations, for example all about strings. */
export interface CelLibrary {
  readonly functions: readonly FunctionDeclaration[];
  readonly macros?: Macros;
  /** Types whose names may be written in expressions. */
  readonly types?: readonly CelType[];
}

/** The object types that expressions may see. */
export interface StructTypes {
  /** Field types by name; undefined for a type that is not known. */
  fields(typeName: string): ReadonlyMap<string, CelType> | undefined;
  /** Builds `Type{...}`; without it such expressions fail at run time. */
  create?(typeName: string, fields: ReadonlyMap<string, CelValue>): CelValue;
  /** A constant with a dotted name, for example an enum value. */
  constant?(name: string): number | undefined;
}

/** What a name stands for. */
export interface Identifier {
  readonly name: string;
  readonly type: CelType;
  readonly value?: CelValue;
}

/** Several libraries as one; made once and shared by environments. */
export class CelLibraries {
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly macros: Macros;
  readonly types: ReadonlyMap<string, CelType>;

  constructor(libraries: readonly CelLibrary[]) {
    const functions = new Map<string, FunctionDeclaration>();
    const macros = new Map<string, Macro>();
    const types = new Map<string, CelType>();
    for (const library of libraries) {
      for (const declared of library.functions) {
        functions.set(declared.name, merge(functions.get(declared.name), declared));
      }
      for (const [key, macro] of library.macros ?? []) macros.set(key, macro);
      for (const type of library.types ?? []) types.set(type.name, type);
    }
    this.functions = functions;
    this.macros = macros;
    this.types = types;
  }
}

function merge(known: FunctionDeclaration | undefined, declared: FunctionDeclaration): FunctionDeclaration {
  if (known === undefined) return declared;
  const added = declared.overloads.filter((overload) => known.overloads.every((k) => k.id !== overload.id));
  return { ...declared, ...known, overloads: [...known.overloads, ...added] };
}

export interface EnvironmentOptions {
  readonly variables?: Readonly<Record<string, CelType>>;
  readonly structs?: StructTypes;
  /** Namespace in which names are looked up first. */
  readonly container?: string;
  /** Whether `1 < 1.5` compiles. Default true. */
  readonly crossTypeComparisons?: boolean;
  /** Whether literals that can never work are errors, among them `[1, "a"]` and `duration("x")`. Default true. */
  readonly validateLiterals?: boolean;
}

const noStructs: StructTypes = { fields: () => undefined };

/** Where an expression is compiled. Cheap to make: the libraries are shared. */
export class CelEnvironment {
  readonly libraries: CelLibraries;
  readonly structs: StructTypes;
  readonly container: string;
  readonly crossTypeComparisons: boolean;
  readonly validateLiterals: boolean;
  readonly #variables: ReadonlyMap<string, CelType>;

  constructor(libraries: CelLibraries, options: EnvironmentOptions = {}) {
    this.libraries = libraries;
    this.structs = options.structs ?? noStructs;
    this.container = options.container ?? "";
    this.crossTypeComparisons = options.crossTypeComparisons ?? true;
    this.validateLiterals = options.validateLiterals ?? true;
    this.#variables = new Map(Object.entries(options.variables ?? {}));
  }

  /** A variable, a type or a constant with exactly this name. */
  identifier(name: string): Identifier | undefined {
    const variable = this.#variables.get(name);
    if (variable !== undefined) return { name, type: variable };
    const type = this.typeName(name);
    if (type !== undefined) return type;
    const value = this.structs.constant?.(name);
    return value === undefined ? undefined : { name, type: celTypes.int, value };
  }

  /** A type with exactly this name; its value is the type itself. */
  typeName(name: string): Identifier | undefined {
    const known = this.libraries.types.get(name);
    const type = known ?? (this.structs.fields(name) === undefined ? undefined : structType(name));
    return type === undefined ? undefined : { name, type: typeOfType(type), value: type };
  }

  /** The names that a name may mean in the container, the most qualified first. */
  candidates(name: string): string[] {
    if (name.startsWith(".")) return [name.slice(1)];
    if (this.container === "") return [name];
    const parts = this.container.split(".");
    const scoped = parts.map((_, i) => `${parts.slice(0, parts.length - i).join(".")}.${name}`);
    return [...scoped, name];
  }
}
