/** CustomResourceDefinitions from files, and from a cluster. */
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { type CustomResourceDefinition, type JsonObject, decodeYaml } from "@bowline/api";
import { CustomResourceDefinition as crdKind } from "@bowline/api/apiextensions/v1";
import type { Client } from "@bowline/client";
import { UsageError, messageOf } from "../errors.ts";

/**
 * All definitions in a file of YAML or JSON, or in all such files below a folder; other objects are passed over.
 * @throws UsageError when there is none, or a file cannot be read
 */
export function readCrds(place: string): CustomResourceDefinition[] {
  if (!existsSync(place)) throw new UsageError(`${place} does not exist`);
  const files = statSync(place).isDirectory()
    ? readdirSync(place, { recursive: true, encoding: "utf8" })
        .filter((name) => /\.(ya?ml|json)$/.test(name))
        .sort()
        .map((name) => path.join(place, name))
    : [place];
  const found = files.flatMap(crdsOf);
  if (found.length === 0) throw new UsageError(`${place} holds no CustomResourceDefinition`);
  return found;
}

function crdsOf(file: string): CustomResourceDefinition[] {
  return readFileSync(file, "utf8")
    .split(/^---\s*$/m)
    .filter((part) => part.replace(/^\s*#.*$/gm, "").trim() !== "")
    .flatMap((text) => {
      try {
        return itemsOf(decodeYaml(text).value as JsonObject | null);
      } catch (error) {
        throw new UsageError(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
      }
    })
    .filter((object) => object["kind"] === "CustomResourceDefinition")
    .map((object) => {
      if (object["apiVersion"] !== "apiextensions.k8s.io/v1") {
        throw new UsageError(
          `${file}: ${String(object["apiVersion"])} is too old, apiextensions.k8s.io/v1 is needed`,
        );
      }
      return object as unknown as CustomResourceDefinition;
    });
}

/** A list, as `kubectl get crd -o yaml` prints it, is its items. */
function itemsOf(object: JsonObject | null): JsonObject[] {
  if (object === null || typeof object !== "object") return [];
  const { items } = object;
  return Array.isArray(items) ? (items as JsonObject[]) : [object];
}

/** All definitions of a cluster, by name. */
export async function fetchCrds(client: Client): Promise<CustomResourceDefinition[]> {
  const { items } = await client.list(crdKind);
  return items as unknown as CustomResourceDefinition[];
}
