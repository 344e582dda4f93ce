import { type Crd, type CrdOptions, crdOf } from "./crd-manifest.ts";
import { crdProblems } from "./crd-problems.ts";
import type { AnyCustomKind } from "./custom-kind.ts";
import { type DefinitionProblem, KindDefinitionError } from "./definition-error.ts";

/**
 * Several versions of one kind as one CustomResourceDefinition.
 *
 * ```ts
 * export const applicationCrd = defineCrd([ApplicationV1, ApplicationV2], { storage: "v2" });
 * ```
 * @throws KindDefinitionError when they are not versions of one kind (group, names, scope must agree)
 */
export function defineCrd(
  versions: readonly [AnyCustomKind, ...AnyCustomKind[]],
  options: CrdOptions = {},
): Crd {
  const [first] = versions;
  const storage = options.storage ?? first.version;
  const problems = versions.flatMap((kind, index) => disagreements(first, kind, index));
  const names = versions.map((kind) => kind.version);
  for (const name of new Set(names.filter((each, index) => names.indexOf(each) !== index))) {
    problems.push({ path: "versions", message: `version ${name} is there twice` });
  }
  if (!names.includes(storage)) {
    problems.push({ path: "storage", message: `${storage} is none of the versions ${names.join(", ")}` });
  }
  const crd = crdOf(versions, storage, options.conversion);
  if (problems.length === 0) problems.push(...crdProblems(crd));
  if (problems.length > 0) throw new KindDefinitionError(crd.name, problems);
  return crd;
}

const sharedFields = [
  "group",
  "kind",
  "listKind",
  "plural",
  "singular",
  "scope",
  "shortNames",
  "categories",
] as const;

function disagreements(first: AnyCustomKind, kind: AnyCustomKind, index: number): DefinitionProblem[] {
  return sharedFields
    .filter((field) => String(kind[field]) !== String(first[field]))
    .map((field) => ({
      path: `versions[${index}].${field}`,
      message: `is ${JSON.stringify(kind[field])}, and ${first.version} has ${JSON.stringify(first[field])}; all versions share it`,
    }));
}
