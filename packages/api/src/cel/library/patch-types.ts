/**
 * What expressions of mutating admission policies have beside the rest: `JSONPatch{...}`, `Object{spec: Object.spec{...}}`
 * and `jsonpatch.escapeKey`. Source: apiserver pkg/cel/mutation, pkg/cel/library/jsonpatch.go.
 */
import { CelLibraries, type StructTypes } from "../environment.ts";
import { declare, overload } from "../function.ts";
import { NativeMap } from "../native-map.ts";
import { type CelType, celTypes } from "../type.ts";
import { kubernetesLibraries } from "./kubernetes.ts";

const { string, dyn } = celTypes;

const jsonPatchFields: ReadonlyMap<string, CelType> = new Map([
  ["op", string],
  ["path", string],
  ["from", string],
  ["value", dyn],
]);

/** The fields of `Object` and all below it: any, of any type. */
class AnyFields extends Map<string, CelType> {
  override get(): CelType {
    return dyn;
  }
  override has(): boolean {
    return true;
  }
}

const anyFields: ReadonlyMap<string, CelType> = new AnyFields();

/** The types of patches, in front of other object types. */
export function withPatchTypes(structs: StructTypes): StructTypes {
  return {
    ...structs,
    fields(name) {
      if (name === "JSONPatch") return jsonPatchFields;
      return /^Object(\.|$)/.test(name) ? anyFields : structs.fields(name);
    },
    create: (_name, fields) => new NativeMap(fields),
  };
}

/** The libraries of Kubernetes with that of JSON patches. */
export const patchLibraries: CelLibraries = new CelLibraries([
  {
    functions: [...kubernetesLibraries.functions.values()],
    macros: kubernetesLibraries.macros,
    types: [...kubernetesLibraries.types.values()],
  },
  {
    functions: [
      declare(
        "jsonpatch.escapeKey",
        overload("string_jsonpatch_escapeKey_string", [string], string, (key) =>
          (key as string).replaceAll("~", "~0").replaceAll("/", "~1"),
        ),
      ),
    ],
  },
]);
