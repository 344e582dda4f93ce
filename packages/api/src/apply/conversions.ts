import type { FieldManagement, ManagedObject } from "./field-management.ts";

/** Thrown out of field management when it needs a conversion that has to be waited for. */
export class ConversionNeeded extends Error {
  override readonly name: string = "ConversionNeeded";
  readonly object: ManagedObject;
  readonly apiVersion: string;

  constructor(object: ManagedObject, apiVersion: string) {
    super(`conversion to ${apiVersion} needed`);
    this.object = object;
    this.apiVersion = apiVersion;
  }
}

type Converted = { readonly object: ManagedObject | undefined } | { readonly error: unknown };

/**
 * Runs an apply or update whose conversions are asynchronous (a conversion webhook). Field management is pure, so it is run
 * again from the start with every answer, and asks the same questions in the same order.
 *
 *     await withConversions(management, convert, (m) => applyPatch(m, request))
 */
export async function withConversions<T>(
  management: FieldManagement,
  convert: (object: ManagedObject, apiVersion: string) => Promise<ManagedObject | undefined>,
  run: (management: FieldManagement) => T,
): Promise<T> {
  const done: Converted[] = [];
  for (;;) {
    let asked = 0;
    const answer = (object: ManagedObject, apiVersion: string): ManagedObject | undefined => {
      const known = done[asked++];
      if (known === undefined) throw new ConversionNeeded(object, apiVersion);
      if ("error" in known) throw known.error;
      return known.object;
    };
    try {
      return run({ ...management, typeOf: (apiVersion) => management.typeOf(apiVersion), convert: answer });
    } catch (error) {
      if (!(error instanceof ConversionNeeded)) throw error;
      done.push(await settle(convert(error.object, error.apiVersion)));
    }
  }
}

async function settle(conversion: Promise<ManagedObject | undefined>): Promise<Converted> {
  try {
    return { object: await conversion };
  } catch (error) {
    return { error };
  }
}
