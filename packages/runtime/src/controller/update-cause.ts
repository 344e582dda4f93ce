import { type AnyKind, createJsonPatch } from "@bowline/api";
import type { CacheEvent } from "../cache/cache-event.ts";
import type { Cause } from "./request.ts";

const fieldsMax = 10;
/** Every write changes these. */
const bookkeeping = /^metadata\.(resourceVersion|generation|managedFields)\b/;

/** An update as a cause: it can tell what differed, as long as the key is queued. Both states stay out of logs. */
export class UpdateCause implements Cause {
  readonly event = "updated";
  readonly kind: string;
  readonly object: string;
  readonly resourceVersion: string;
  readonly #update: CacheEvent & { readonly type: "updated" };

  constructor(update: CacheEvent & { readonly type: "updated" }, kind: AnyKind) {
    this.kind = kind.kind;
    this.object = update.key;
    this.resourceVersion = update.object.metadata.resourceVersion ?? "";
    this.#update = update;
  }

  changedFields(): readonly string[] {
    const { old, object } = this.#update;
    const paths = createJsonPatch(old as never, object as never).map(({ path }) => fieldOf(path));
    return paths.filter((path) => !bookkeeping.test(path)).slice(0, fieldsMax);
  }
}

/** `/spec/containers/0/image` as `spec.containers[0].image`. */
function fieldOf(pointer: string): string {
  const parts = pointer.slice(1).split("/");
  return parts
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((part, i) => (/^[0-9]+$/.test(part) ? `[${part}]` : i === 0 ? part : `.${part}`))
    .join("");
}
