/** The inputs of the generator: what one Kubernetes version's OpenAPI document says, and the names that it does not say. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Definition {
  $ref?: string;
  type?: string;
  format?: string;
  default?: unknown;
  description?: string;
  properties?: Record<string, Definition>;
  required?: string[];
  items?: Definition;
  additionalProperties?: Definition;
  "x-kubernetes-group-version-kind"?: { group: string; version: string; kind: string }[];
}

/** One line of `resources.json`: a path of the API and what can be done there. */
export interface ResourceFact {
  group: string;
  version: string;
  /** `pods` or, for a subresource, `pods/log`. */
  resource: string;
  namespaced: boolean;
  /** Values of x-kubernetes-action: `get`, `list`, `post`, `connect`, ... */
  actions: string[];
  /** `GROUP/VERSION/KIND`, with the core group empty. */
  kinds: string[];
}

/** What the OpenAPI document does not say. */
export interface NameFacts {
  /** Groups in the order of their priority. */
  groups: string[];
  shortNames: Record<string, string[]>;
  categories: Record<string, string[]>;
  /** Resources stored as another resource, by `groupVersion/resource`. */
  storage: Record<string, string>;
  /** Groups whose discovery carries no storage version hash. */
  withoutStorageHash: string[];
  connectVerbs: Record<string, string[]>;
  /** Defaults that the Go types declare, by definition and property. Version 2 of OpenAPI is published without them. */
  defaults: Record<string, Record<string, unknown>>;
  /** What each kind is for, in our own words: by group, then kind. Required for every kind. */
  about: Record<string, Record<string, string>>;
}

export interface Inputs {
  definitions: Record<string, Definition>;
  resources: ResourceFact[];
  names: NameFacts;
}

/** @param directory holds definitions.json, resources.json and names.json */
export function readInputs(directory: string): Inputs {
  const read = <T>(name: string): T => JSON.parse(readFileSync(join(directory, name), "utf8")) as T;
  const names = read<NameFacts>("names.json");
  const definitions = read<Record<string, Definition>>("definitions.json");
  addDefaults(definitions, names);
  addDescriptions(definitions, names);
  return { definitions, resources: read("resources.json"), names };
}

function addDefaults(definitions: Record<string, Definition>, names: NameFacts): void {
  for (const [name, defaults] of Object.entries(names.defaults)) {
    for (const [field, value] of Object.entries(defaults)) {
      const property = definitions[name]?.properties?.[field];
      if (property === undefined)
        throw new Error(`names.json has a default for ${name}.${field}, which does not exist`);
      property.default = value;
    }
  }
}

/** Kinds are described; their lists and the types inside are not. */
function addDescriptions(definitions: Record<string, Definition>, names: NameFacts): void {
  for (const definition of Object.values(definitions)) {
    const [kind, ...others] = definition["x-kubernetes-group-version-kind"] ?? [];
    if (kind === undefined || others.length > 0 || definition.properties?.["metadata"] === undefined)
      continue;
    const about = names.about[kind.group]?.[kind.kind];
    if (about !== undefined) definition.description = about;
    else if (!kind.kind.endsWith("List") && kind.kind !== "Status") {
      throw new Error(`names.json says nothing about ${kind.kind} of group "${kind.group}"`);
    }
  }
}
