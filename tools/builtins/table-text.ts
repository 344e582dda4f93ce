/** TypeScript for the run-time tables: resources, and the definitions as text that is parsed on first use. */
import { createHash } from "node:crypto";
import type { Inputs } from "./inputs.ts";
import { moduleIdentifier, placeOf } from "./naming.ts";
import type { GeneratedResource } from "./resource-table.ts";
import { header } from "./type-text.ts";

export function resourcesText(resources: readonly GeneratedResource[]): string {
  const rows = resources.map((resource) => `  ${JSON.stringify(resource)},`).join("\n");
  return `${header}import type { BuiltinResource } from "../discovery/api-resource.ts";

/** Every built-in resource, groups and versions in the order of their priority. */
export const builtinResources: readonly BuiltinResource[] = [
${rows}
];
`;
}

/** `builtin/definitions/GROUP-VERSION.ts`: a module's definitions as JSON text. */
export function definitionsText(module: string, inputs: Inputs): string {
  const own = Object.keys(inputs.definitions)
    .filter((name) => placeOf(name).module === module)
    .sort()
    .map((name) => [name, inputs.definitions[name]]);
  const json = JSON.stringify(Object.fromEntries(own));
  return `${header}export const ${moduleIdentifier(module)}: string =\n  '${json.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}';\n`;
}

/** `builtin/definition-sources.ts`: which text holds a definition, and which definition is a kind's. */
export function sourcesText(modules: readonly string[], inputs: Inputs): string {
  const imports = modules.map(
    (module) => `import { ${moduleIdentifier(module)} } from "./definitions/${module.replace("/", "-")}.ts";`,
  );
  const entries = modules.map((module) => `  ${JSON.stringify(module)}: ${moduleIdentifier(module)},`);
  const digest = createHash("sha256").update(JSON.stringify(inputs)).digest("hex").toUpperCase();
  return `${header}${imports.join("\n")}

/** Definitions as JSON text, by the module that their types are generated to. */
export const definitionSources: Readonly<Record<string, string>> = {
${entries.join("\n")}
};

/** Changes whenever any of the generator's inputs does. */
export const definitionsHash = "${digest}" as const;
`;
}
