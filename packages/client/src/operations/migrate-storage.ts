import { type DeepReadonly, type UnstructuredObject, isConflict, isNotFound } from "@bowline/api";
import type { Client } from "../client.ts";
import { InvalidCallError } from "../errors.ts";
import type { CallOptions } from "../verb-options.ts";

/** What a storage migration did. */
export interface StorageMigration {
  /** The version in which everything is stored now: `v1`. */
  readonly version: string;
  /** Objects that were sent back to be stored again. */
  readonly rewrittenCount: number;
}

const crdRef = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" } as const;

interface CrdParts {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly storage: boolean;
      readonly served: boolean;
    }[];
  };
}

/**
 * Has every object of a custom kind stored in its storage version, and takes the others out of `status.storedVersions`:
 * `migrateStorage(client, "crontabs.example.com")`. After that an old version can be removed from the definition. Objects
 * are sent back as they are; one that somebody else writes meanwhile is stored anew by that. May be repeated at any time.
 * Source: KEP-2855, kube-storage-version-migrator pkg/migrator/core.go.
 * @throws NotFound without such a definition; Conflict when the definition changes meanwhile: then start again
 */
export async function migrateStorage(
  client: Client,
  crdName: string,
  options: CallOptions = {},
): Promise<StorageMigration> {
  const crd = await client.get(crdRef, { name: crdName }, options);
  const { spec } = crd as unknown as CrdParts;
  const version = spec.versions.find(({ storage, served }) => storage && served)?.name;
  if (version === undefined) {
    throw new InvalidCallError(
      `storage migration of ${crdName}: its storage version is not served, so that nothing can be written in it`,
    );
  }
  const kind = { apiVersion: `${spec.group}/${version}`, kind: spec.names.kind };
  let rewrittenCount = 0;
  for await (const page of client.pages(kind, options)) {
    for (const object of page.items) rewrittenCount += await rewrite(client, object, options);
  }
  const merge = { status: { storedVersions: [version] } };
  await client.patch(
    crdRef,
    { name: crdName },
    { merge },
    {
      ...options,
      subresource: "status",
      // a definition that changed meanwhile may have another storage version
      ...lockedTo(crd),
    },
  );
  return { version, rewrittenCount };
}

/** Answers how many objects were rewritten: none when somebody else wrote or deleted it. */
async function rewrite(
  client: Client,
  object: DeepReadonly<UnstructuredObject>,
  options: CallOptions,
): Promise<number> {
  try {
    await client.update(object, object, options);
    return 1;
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return 0;
    throw error;
  }
}

function lockedTo(object: DeepReadonly<UnstructuredObject>): { readonly resourceVersion?: string } {
  const { resourceVersion } = object.metadata;
  return resourceVersion === undefined ? {} : { resourceVersion };
}
