import { type DeepReadonly, type UnstructuredObject, encodeJson } from "@bowline/api";

/** A stored object: plain JSON, frozen at every depth, its resourceVersion filled in. */
export type StoredObject = DeepReadonly<UnstructuredObject>;

/**
 * One object as it was stored at one revision. Never changes. What is derived from it - the object in another API
 * version, the bytes of an answer - is made once on first need and kept here, so that lists and watch events of a
 * thousand clients are joined from the same bytes.
 */
export class Revision {
  /** Key in its bucket: `namespace/name`, or `name` for cluster-scoped resources. */
  readonly key: string;
  /** The store's counter when this state was written. */
  readonly revision: number;
  readonly object: StoredObject;
  /** The view made first, inline because most revisions are only ever seen one way. */
  #viewName: string | undefined;
  #view: Revision | undefined;
  #moreViews: Map<string, Revision> | undefined;
  #bytes: Uint8Array | undefined;

  constructor(key: string, revision: number, object: StoredObject) {
    this.key = key;
    this.revision = revision;
    this.object = object;
  }

  /** The JSON text of the object as UTF-8. */
  get bytes(): Uint8Array {
    this.#bytes ??= Buffer.from(encodeJson(this.object));
    return this.#bytes;
  }

  /** This revision seen another way (in another API version, say); `make` runs once per `name`. */
  view(name: string, make: (object: StoredObject) => StoredObject): Revision {
    return this.seen(name) ?? this.remember(name, make(this.object));
  }

  /** The view of that name, if it was made before. */
  seen(name: string): Revision | undefined {
    if (this.#viewName === name) return this.#view ?? this;
    return this.#moreViews?.get(name);
  }

  /** Keeps `object` as the view of that name. */
  remember(name: string, object: StoredObject): Revision {
    const view = object === this.object ? this : new Revision(this.key, this.revision, object);
    if (this.#viewName === undefined) {
      this.#viewName = name;
      if (view !== this) this.#view = view;
    } else {
      this.#moreViews ??= new Map();
      this.#moreViews.set(name, view);
    }
    return view;
  }
}
