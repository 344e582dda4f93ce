/** A CustomResourceDefinition as source files: a `defineKind` per version, and a `defineCrd` when there are several. */
import type { CrdVersion, CustomResourceDefinition, Json, JsonSchema } from "@bowline/api";
import type { PlannedFile } from "../scaffold/write-files.ts";
import { variableName } from "../scaffold/names.ts";
import { literal, shapeSource, zodSource } from "./zod-source.ts";

export interface ImportedKind {
  readonly files: readonly PlannedFile[];
  /** What `defineKind` cannot say and the files therefore leave out, a sentence each. */
  readonly leftOut: readonly string[];
}

/** @param folder that the files go below: `src/imported` */
export function importedKind(crd: CustomResourceDefinition, folder: string): ImportedKind {
  const { group, names, versions } = crd.spec;
  const base = `${folder}/${group}`;
  const file = names.kind.toLowerCase();
  const leftOut: string[] = [];
  const files = versions.map((version) => ({
    path: `${base}/${version.name}/${file}.ts`,
    text: kindSource(crd, version, leftOut),
  }));
  if (versions.length > 1) files.push({ path: `${base}/${file}-crd.ts`, text: crdSource(crd) });
  return { files, leftOut };
}

function kindSource(crd: CustomResourceDefinition, version: CrdVersion, leftOut: string[]): string {
  const { kind } = crd.spec.names;
  const root = version.schema?.openAPIV3Schema ?? {};
  const problem = (text: string): void => void leftOut.push(`${crd.metadata.name} ${version.name}: ${text}`);
  const body = [
    ...namesSource(crd, version),
    ...sectionsSource(root, problem),
    ...extrasSource(crd, version),
  ].map((line) => `  ${line},\n`);
  const imports = [
    `import { type KindOf, defineKind } from "@bowline/api";\n`,
    ...(body.some((line) => line.includes("k8s.")) ? [`import * as k8s from "@bowline/api/k8s";\n`] : []),
    ...(body.some((line) => line.includes("z.")) ? [`import * as z from "zod";\n`] : []),
  ];
  return `// Imported by bowline from the CustomResourceDefinition ${crd.metadata.name}.
${imports.join("")}
export const ${kind} = defineKind({
${body.join("")}});
export type ${kind} = KindOf<typeof ${kind}>;
`;
}

function namesSource(crd: CustomResourceDefinition, version: CrdVersion): string[] {
  const { group, names, scope } = crd.spec;
  const { kind, plural, singular, listKind, shortNames = [], categories = [] } = names;
  const root = version.schema?.openAPIV3Schema;
  const fields: [string, Json | undefined][] = [
    ["group", group],
    ["version", version.name],
    ["kind", kind],
    ["plural", plural],
    ["singular", singular === kind.toLowerCase() ? undefined : singular],
    ["listKind", listKind === `${kind}List` ? undefined : listKind],
    ["shortNames", shortNames.length === 0 ? undefined : shortNames],
    ["categories", categories.length === 0 ? undefined : categories],
    ["scope", scope === "Namespaced" ? undefined : scope],
    ["description", root?.description],
  ];
  return linesOf(fields);
}

function linesOf(fields: readonly [string, Json | undefined][]): string[] {
  return fields.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${literal(value)}`]));
}

/** What every object of every kind has; a definition may repeat it, and it says nothing. */
const implied: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);
const sayable: ReadonlySet<string> = new Set([
  "type",
  "description",
  "properties",
  "required",
  "x-kubernetes-validations",
]);

function sectionsSource(root: JsonSchema, problem: (text: string) => void): string[] {
  const { properties = {}, required = [] } = root;
  for (const word of Object.keys(root).filter((each) => !sayable.has(each))) {
    problem(`${word} of the whole object; defineKind has it in spec, status and fields only`);
  }
  const lines: string[] = [];
  const metadata = properties["metadata"]?.properties;
  if (metadata !== undefined) lines.push(`metadata: ${shapeSource(metadata, Object.keys(metadata), "  ")}`);
  for (const name of ["spec", "status"] as const) {
    const schema = properties[name];
    if (schema === undefined) continue;
    if (schema.type !== "object") {
      problem(`${name} is no object, and defineKind takes only one that is`);
      continue;
    }
    const isOptional = name === "spec" && !required.includes("spec");
    lines.push(`${name}: ${zodSource(schema, "  ")}${isOptional ? ".optional()" : ""}`);
  }
  if (required.includes("status")) problem("status is required, and a new object has none");
  const others = Object.entries(properties).filter(
    ([name]) => !implied.has(name) && name !== "spec" && name !== "status",
  );
  if (others.length > 0) lines.push(`fields: ${shapeSource(Object.fromEntries(others), required, "  ")}`);
  const rules = root["x-kubernetes-validations"] ?? [];
  if (rules.length > 0) lines.push(`rules: ${literal(rules as unknown as Json)}`);
  return lines;
}

function extrasSource(crd: CustomResourceDefinition, version: CrdVersion): string[] {
  const { additionalPrinterColumns = [], selectableFields = [], subresources = {} } = version;
  const hasStatus = version.schema?.openAPIV3Schema?.properties?.["status"] !== undefined;
  const isServed = subresources.status !== undefined;
  const approved = crd.metadata.annotations?.["api-approved.kubernetes.io"];
  const fields: [string, Json | undefined][] = [
    [
      "printerColumns",
      additionalPrinterColumns.length === 0 ? undefined : (additionalPrinterColumns as unknown as Json),
    ],
    ["scale", subresources.scale as unknown as Json | undefined],
    ["statusSubresource", isServed === hasStatus ? undefined : isServed],
    [
      "selectableFields",
      selectableFields.length === 0 ? undefined : selectableFields.map((each) => each.jsonPath),
    ],
    ["deprecated", version.deprecated === true ? (version.deprecationWarning ?? true) : undefined],
    ["served", version.served ? undefined : false],
    ["annotations", approved === undefined ? undefined : { "api-approved.kubernetes.io": approved }],
  ];
  return linesOf(fields);
}

function crdSource(crd: CustomResourceDefinition): string {
  const { names, versions } = crd.spec;
  const nameIn = (version: CrdVersion): string => `${names.kind}${version.name.toUpperCase()}`;
  const imports = versions.map(
    (version) =>
      `import { ${names.kind} as ${nameIn(version)} } from "./${version.name}/${names.kind.toLowerCase()}.ts";\n`,
  );
  const storage = versions.find((version) => version.storage)?.name ?? versions[0]?.name ?? "";
  return `import { defineCrd } from "@bowline/api";
${imports.join("")}
/** All versions of the kind; objects are stored in ${storage}. */
export const ${variableName(names.kind)}Crd = defineCrd([${versions.map(nameIn).join(", ")}], { storage: ${literal(storage)} });
`;
}
