import type { CrdPrinterColumn, CrdSubresources, CrdVersion } from "./custom-resource-definition.ts";

/** The parts that are either common to all versions or given per version. */
export interface VersionParts {
  readonly schema: CrdVersion["schema"];
  readonly subresources: CrdSubresources | undefined;
  readonly columns: readonly CrdPrinterColumn[] | undefined;
  readonly selectableFields: readonly { readonly jsonPath: string }[] | undefined;
}

export interface InternalVersion extends VersionParts {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  readonly deprecationWarning: string | undefined;
}
