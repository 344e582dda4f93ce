/** How the names of the OpenAPI document map to files and identifiers of ours. */

/** Where a definition is generated to: `io.k8s.api.apps.v1.DeploymentSpec` is DeploymentSpec of `apps/v1`. */
export interface DefinitionPlace {
  /** `apps/v1`, also the entry point `@bowline/api/apps/v1`. */
  module: string;
  name: string;
}

export function placeOf(definition: string): DefinitionPlace {
  const parts = definition.split(".");
  const name = parts.at(-1) ?? definition;
  const version = parts.at(-2) ?? "";
  const group = parts.at(-3) ?? "";
  if (definition.startsWith("io.k8s.apimachinery.")) return { module: "meta/v1", name };
  return { module: `${group}/${version}`, name };
}

/** Directory of a group: `rbac.authorization.k8s.io` is `rbac`, the core group `core`. */
export function groupDirectory(group: string): string {
  if (group === "") return "core";
  if (group === "internal.apiserver.k8s.io") return "apiserverinternal";
  return group.split(".")[0] ?? group;
}

/** `apps/v1` is `appsV1`. */
export function moduleIdentifier(module: string): string {
  return module.replace(/\/(.)/, (_all, first: string) => first.toUpperCase());
}

export function refName(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}
