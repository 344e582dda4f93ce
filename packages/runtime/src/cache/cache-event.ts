import type { DeepReadonly, KubeObject } from "@bowline/api";

/** One difference between two states of a cache's store. Objects are frozen and shared: never change them. */
export type CacheEvent<T extends KubeObject = KubeObject> =
  | {
      readonly type: "added";
      /** `namespace/name`. */
      readonly key: string;
      readonly object: DeepReadonly<T>;
      /** True for objects that were there when the handler was registered or the first list arrived. */
      readonly isInitialList: boolean;
    }
  | {
      readonly type: "updated";
      readonly key: string;
      readonly object: DeepReadonly<T>;
      /** Same uid as `object`: an object that was deleted and created again gives `deleted` and then `added`. */
      readonly old: DeepReadonly<T>;
      /** True when it is a local replay (`object === old`). */
      readonly isResync: boolean;
    }
  | {
      readonly type: "deleted";
      readonly key: string;
      /** The last state known. */
      readonly object: DeepReadonly<T>;
      /** True when the deletion itself was missed and shown by a relist: `object` may be stale. */
      readonly isFinalStateUnknown: boolean;
    };
