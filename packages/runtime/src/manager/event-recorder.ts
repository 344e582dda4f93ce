import type { DeepReadonly, KubeObject } from "@bowline/api";

/** What to say about an object in an event (`kubectl get events`). */
export interface EventInput {
  readonly type?: "Normal" | "Warning";
  /** CamelCase, for machines: `ScaledUp`. */
  readonly reason: string;
  /** What the controller did or tried, CamelCase: `Scale`. Default: the reason. */
  readonly action?: string;
  /** For people; cut at 1024 bytes. */
  readonly note: string;
  /** A second object that has to do with it. */
  readonly related?: DeepReadonly<KubeObject>;
}
