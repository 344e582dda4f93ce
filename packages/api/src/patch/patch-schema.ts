import type { JsonSchema } from "../schema/json-schema.ts";

/** How the fields of an object of a built-in kind are merged, found lazily from its OpenAPI definition. */
export interface PatchSchema {
  /** What Go calls the type in errors: `Container`. */
  readonly name: string;
  /** How a field is merged, or undefined when the definition has no such field. */
  field(name: string): PatchField | undefined;
}

/** A field's patch strategy. */
export interface PatchField {
  /** What becomes of the field's present value; `""` stands for the default: objects merge, lists are replaced. */
  readonly strategy: "" | "merge" | "replace" | (string & {});
  /** Whether a patch lists the fields to keep (`$retainKeys`) and all others go. */
  readonly retainKeys: boolean;
  /** The field that identifies an item of a merged list of objects: `name`; empty for none. */
  readonly mergeKey: string;
  /** Schema of the object, or of a list's items; it has no fields when they are scalars. */
  readonly schema: PatchSchema;
}

type Definitions = Readonly<Record<string, JsonSchema>>;

/**
 * The patch schema of a definition, for example `io.k8s.api.apps.v1.Deployment`. Build it once per kind.
 * @param definitions by name, as `definitions` of an OpenAPI document
 * @throws Error for an unknown name
 * Source of the rules: apimachinery pkg/util/strategicpatch (meta.go).
 */
export function patchSchemaOf(definitions: Definitions, name: string): PatchSchema {
  return new SchemaBook(definitions).definition(name);
}

class SchemaBook {
  readonly #definitions: Definitions;
  readonly #built = new Map<string, PatchSchema>();

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
  }

  definition(name: string): PatchSchema {
    const built = this.#built.get(name);
    if (built !== undefined) return built;
    const definition = this.#definitions[name];
    if (definition === undefined) throw new Error(`no definition ${name}`);
    const schema = this.#build(definition, name.slice(name.lastIndexOf(".") + 1));
    this.#built.set(name, schema);
    return schema;
  }

  #build(schema: JsonSchema, name: string): PatchSchema {
    const fields = new Map<string, PatchField | undefined>();
    const build = (field: string): PatchField | undefined => {
      const found = fieldSchema(schema, field);
      return found === undefined ? undefined : this.#field(found, name);
    };
    return {
      name,
      field: (field) => {
        if (!fields.has(field)) fields.set(field, build(field));
        return fields.get(field);
      },
    };
  }

  #field(schema: JsonSchema, parent: string): PatchField {
    const strategies = (schema["x-kubernetes-patch-strategy"] ?? "").split(",").filter((part) => part !== "");
    return {
      strategy: strategies.find((part) => part !== "retainKeys") ?? "",
      retainKeys: strategies.includes("retainKeys"),
      mergeKey: schema["x-kubernetes-patch-merge-key"] ?? "",
      schema: this.#resolve(itemSchema(schema), parent),
    };
  }

  #resolve(schema: JsonSchema, parent: string): PatchSchema {
    const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
    if (reference !== undefined) return this.definition(reference.slice(reference.lastIndexOf("/") + 1));
    return this.#build(schema, schema.additionalProperties === undefined ? parent : "map");
  }
}

function fieldSchema(schema: JsonSchema, field: string): JsonSchema | undefined {
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, field))
    return schema.properties[field];
  const { additionalProperties } = schema;
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

function itemSchema(schema: JsonSchema): JsonSchema {
  return schema.items === undefined || Array.isArray(schema.items) ? schema : schema.items;
}
