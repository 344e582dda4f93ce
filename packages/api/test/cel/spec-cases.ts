/** What the cases of the CEL specification declare, as our types and environments. */
import {
  type Decl,
  type Type,
  Type_PrimitiveType,
  Type_WellKnownType,
} from "@bufbuild/cel-spec/cel/expr/checked_pb.js";
import type { IncrementalTest, IncrementalTestSuite } from "@bufbuild/cel-spec/testdata/tests.js";
import {
  CelEnvironment,
  CelLibraries,
  type CelLibrary,
  type EnvironmentOptions,
} from "../../src/cel/environment.ts";
import type { FunctionDeclaration } from "../../src/cel/function.ts";
import { kubernetesLibraries } from "../../src/cel/library/kubernetes.ts";
import { bindMacros } from "../../src/cel/macros.ts";
import {
  type CelType,
  celTypes,
  listType,
  mapType,
  opaqueType,
  typeOfType,
  typeParam,
  wrapperType,
} from "../../src/cel/type.ts";
import { messageType } from "./message-types.ts";

export interface Case {
  readonly path: string;
  readonly test: IncrementalTest;
}

/** All cases of a suite and the suites in it. */
export function casesOf(suite: IncrementalTestSuite, prefix = ""): Case[] {
  const path = prefix === "" ? suite.name : `${prefix}/${suite.name}`;
  const own = suite.tests.map((test) => ({ path: `${path}/${test.name}`, test }));
  return [...own, ...suite.suites.flatMap((child) => casesOf(child, path))];
}

export function typeFrom(type: Type | undefined): CelType {
  const kind = type?.typeKind;
  switch (kind?.case) {
    case "null":
      return celTypes.null;
    case "primitive":
      return primitive(kind.value);
    case "wrapper":
      return wrapperType(primitive(kind.value));
    case "wellKnown":
      if (kind.value === Type_WellKnownType.TIMESTAMP) return celTypes.timestamp;
      return kind.value === Type_WellKnownType.DURATION ? celTypes.duration : celTypes.any;
    case "listType":
      return listType(typeFrom(kind.value.elemType));
    case "mapType":
      return mapType(typeFrom(kind.value.keyType), typeFrom(kind.value.valueType));
    case "typeParam":
      return typeParam(kind.value);
    case "type":
      return typeOfType(typeFrom(kind.value));
    case "messageType":
      return messageType(kind.value);
    case "abstractType":
      return opaqueType(kind.value.name, ...kind.value.parameterTypes.map(typeFrom));
    default:
      return celTypes.dyn;
  }
}

function primitive(type: Type_PrimitiveType): CelType {
  switch (type) {
    case Type_PrimitiveType.BOOL:
      return celTypes.bool;
    case Type_PrimitiveType.INT64:
      return celTypes.int;
    case Type_PrimitiveType.UINT64:
      return celTypes.uint;
    case Type_PrimitiveType.DOUBLE:
      return celTypes.double;
    case Type_PrimitiveType.STRING:
      return celTypes.string;
    default:
      return celTypes.bytes;
  }
}

const testLibraries = new CelLibraries([
  {
    functions: [...kubernetesLibraries.functions.values()],
    macros: kubernetesLibraries.macros,
    types: [...kubernetesLibraries.types.values()],
  },
  { functions: [], macros: bindMacros },
]);

function librariesFor(declarations: readonly Decl[]): CelLibraries {
  const functions = declarations.flatMap((decl): FunctionDeclaration[] => {
    if (decl.declKind.case !== "function") return [];
    const overloads = decl.declKind.value.overloads.map((overload) => ({
      id: overload.overloadId,
      member: overload.isInstanceFunction,
      args: overload.params.map(typeFrom),
      result: typeFrom(overload.resultType),
    }));
    return [{ name: decl.name, overloads }];
  });
  if (functions.length === 0) return testLibraries;
  const base: CelLibrary = {
    functions: [...testLibraries.functions.values()],
    macros: testLibraries.macros,
    types: [...testLibraries.types.values()],
  };
  return new CelLibraries([base, { functions }]);
}

/** The environment of a case: what it declares, and the libraries of Kubernetes. */
export function environmentFor(
  { typeEnv, container }: IncrementalTest["original"],
  options: EnvironmentOptions = {},
): CelEnvironment {
  const variables: Record<string, CelType> = {};
  for (const decl of typeEnv)
    if (decl.declKind.case === "ident") variables[decl.name] = typeFrom(decl.declKind.value.type);
  return new CelEnvironment(librariesFor(typeEnv), {
    variables,
    container,
    validateLiterals: false,
    ...options,
  });
}
