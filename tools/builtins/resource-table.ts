/** The table of built-in resources: names, verbs, subresources, order. */
import { createHash } from "node:crypto";
import type { Definition, Inputs, ResourceFact } from "./inputs.ts";

export interface GeneratedKind {
  group: string;
  version: string;
  kind: string;
}

export interface GeneratedResource {
  group: string;
  version: string;
  plural: string;
  singular: string;
  kind: string;
  listKind: string;
  namespaced: boolean;
  verbs: string[];
  shortNames: string[];
  categories: string[];
  subresources: { name: string; kind: GeneratedKind; verbs: string[] }[];
  storageVersionHash?: string;
  servedByDefault: boolean;
}

const verbOfAction: Record<string, string> = { post: "create", put: "update" };

export function resourceTable(inputs: Inputs): GeneratedResource[] {
  const table = inputs.resources
    .filter((fact) => !fact.resource.includes("/"))
    .map((fact) => resourceOf(fact, inputs));
  const rank = (group: string): number => {
    const index = inputs.names.groups.indexOf(group);
    if (index < 0) throw new Error(`group ${group} has no place in the "groups" of names.json`);
    return index;
  };
  return table.sort(
    (a, b) =>
      rank(a.group) - rank(b.group) ||
      compareVersions(a.version, b.version) ||
      (a.plural < b.plural ? -1 : a.plural > b.plural ? 1 : 0),
  );
}

function resourceOf(fact: ResourceFact, inputs: Inputs): GeneratedResource {
  const { names } = inputs;
  const kind = kindOf(fact, fact.kinds[0]);
  const stored = fact.actions.includes("list") && fact.actions.includes("post");
  const hash = stored ? storageHash(fact, kind, inputs) : undefined;
  return {
    group: fact.group,
    version: fact.version,
    plural: fact.resource,
    singular: kind.kind.toLowerCase(),
    kind: kind.kind,
    listKind: `${kind.kind}List`,
    namespaced: fact.namespaced,
    verbs: verbsOf(fact, inputs),
    shortNames: names.shortNames[fact.resource] ?? [],
    categories: Object.keys(names.categories).filter((name) =>
      names.categories[name]?.includes(fact.resource),
    ),
    subresources: inputs.resources
      .filter((sub) => isSubresource(sub, fact))
      .map((sub) => subresourceOf(sub, inputs)),
    ...(hash === undefined ? {} : { storageVersionHash: hash }),
    servedByDefault: /^v\d+$/.test(fact.version),
  };
}

function isSubresource(sub: ResourceFact, of: ResourceFact): boolean {
  return sub.group === of.group && sub.version === of.version && sub.resource.startsWith(`${of.resource}/`);
}

function subresourceOf(fact: ResourceFact, inputs: Inputs): GeneratedResource["subresources"][number] {
  const name = fact.resource.slice(fact.resource.indexOf("/") + 1);
  return { name, kind: kindOf(fact, fact.kinds[0]), verbs: verbsOf(fact, inputs) };
}

/** Everything that can be listed and changed can be watched. */
function verbsOf(fact: ResourceFact, { names }: Inputs): string[] {
  const connect = names.connectVerbs[fact.resource];
  if (connect !== undefined) return connect;
  const verbs = fact.actions.map((action) => verbOfAction[action] ?? action);
  if (verbs.includes("list") && verbs.includes("delete")) verbs.push("watch");
  return verbs.sort();
}

function kindOf(fact: ResourceFact, text: string | undefined): GeneratedKind {
  const [group, version, kind] = (text ?? "").split("/");
  if (group === undefined || version === undefined || kind === undefined) {
    throw new Error(
      `${fact.group}/${fact.version} ${fact.resource}: kind "${text}" is not GROUP/VERSION/KIND`,
    );
  }
  return { group, version, kind };
}

/** Stored in the newest stable version, the same for all versions of a resource. */
function storageHash(fact: ResourceFact, kind: GeneratedKind, inputs: Inputs): string | undefined {
  if (inputs.names.withoutStorageHash.includes(fact.group)) return undefined;
  const elsewhere = inputs.names.storage[`${fact.group}/${fact.version}/${fact.resource}`];
  if (elsewhere !== undefined) return hash(`/${elsewhere.split("/")[0]}/${kind.kind}`);
  const versions = inputs.resources
    .filter((other) => other.group === fact.group && other.resource === fact.resource)
    .map((other) => other.version)
    .sort(compareVersions);
  return hash(`${fact.group}/${versions[0]}/${kind.kind}`);
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest().subarray(0, 8).toString("base64");
}

/** v2, v1, v1beta1, v1alpha1: newest and most stable first. */
export function compareVersions(a: string, b: string): number {
  const rank = (version: string): number[] => {
    const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
    const stability = match?.[2] === undefined ? 2 : match[2] === "beta" ? 1 : 0;
    return [stability, Number(match?.[1]), Number(match?.[3] ?? 0)];
  };
  const [left, right] = [rank(a), rank(b)];
  return left.reduce((order, value, index) => order || (right[index] ?? 0) - value, 0);
}

/** Kinds that a definition stands for; DeleteOptions and WatchEvent stand for every group. */
export function kindsOf(definition: Definition): GeneratedKind[] {
  return definition["x-kubernetes-group-version-kind"] ?? [];
}
