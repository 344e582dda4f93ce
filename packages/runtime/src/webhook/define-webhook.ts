import type { AnyKind, DeepReadonly, KindOf, KubeObject } from "@bowline/api";

/** What a validation may answer: nothing or texts of warnings. It refuses by throwing. */
export type ValidationAnswer =
  | readonly string[]
  | undefined
  | void
  | Promise<readonly string[] | undefined | void>;

/** What a defaulting function may answer: a new object, or nothing for no change. */
export type DefaultAnswer<T> =
  | T
  | DeepReadonly<T>
  | undefined
  | void
  | Promise<T | DeepReadonly<T> | undefined | void>;

/** What a webhook function is told beside the object. */
export interface AdmissionContext {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly user: {
    readonly username?: string;
    readonly groups?: readonly string[];
    readonly uid?: string;
  };
  readonly dryRun: boolean;
  /** `status`, `scale`; empty for the object itself. */
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The state before, on UPDATE. */
  readonly old: DeepReadonly<KubeObject> | undefined;
  /** Aborted when the API server waits no longer. */
  readonly signal: AbortSignal;
  /** Adds a warning that the user sees, also when the request is refused. */
  warn(text: string): void;
}

/** Admission of a kind. */
export interface WebhookOptions<T extends KubeObject> {
  /** Fills fields in: answers a new object (or nothing for no change). The patch is computed from the difference. */
  default?(object: DeepReadonly<T>, ctx: AdmissionContext): DefaultAnswer<T>;
  /**
   * Refuses by throwing: a StatusError goes to the user as it is, the text of any other error as the reason. A TypeError,
   * RangeError or ReferenceError is a mistake in the program and answers 500.
   */
  validateCreate?(object: DeepReadonly<T>, ctx: AdmissionContext): ValidationAnswer;
  validateUpdate?(object: DeepReadonly<T>, old: DeepReadonly<T>, ctx: AdmissionContext): ValidationAnswer;
  validateDelete?(object: DeepReadonly<T>, ctx: AdmissionContext): ValidationAnswer;
  /** What happens when the webhook cannot be called. Default `Fail`. */
  readonly failurePolicy?: "Fail" | "Ignore";
  /** How long the API server waits. Default 10. */
  readonly timeoutSeconds?: number;
  /** Default `None`: it only looks and answers. */
  readonly sideEffects?: "None" | "NoneOnDryRun";
  /** Default `Equivalent`: also for requests in other versions of the kind. */
  readonly matchPolicy?: "Equivalent" | "Exact";
  readonly reinvocationPolicy?: "Never" | "IfNeeded";
  /** Default: `/mutate-<group>-<version>-<kind>` and `/validate-...`, with dashes for dots. */
  readonly mutatePath?: string;
  readonly validatePath?: string;
}

/** A webhook, ready to be given to a manager. */
export interface WebhookDefinition {
  readonly type: "admission";
  readonly kind: AnyKind;
  readonly options: WebhookOptions<KubeObject>;
  /** `/mutate-example-com-v1-application`; undefined when there is no `default`. */
  readonly mutatePath: string | undefined;
  /** `/validate-example-com-v1-application`; undefined when nothing validates. */
  readonly validatePath: string | undefined;
}

/** Declares admission of a kind: a custom one or a built-in one. */
export function defineWebhook<K extends AnyKind>(
  kind: K,
  options: WebhookOptions<KindOf<K>>,
): WebhookDefinition {
  const all = options as unknown as WebhookOptions<KubeObject>;
  const path = `${kind.group.replaceAll(".", "-")}-${kind.version}-${kind.kind.toLowerCase()}`;
  const validations = ["validateCreate", "validateUpdate", "validateDelete"] as const;
  const validates = validations.some((name) => name in all);
  return {
    type: "admission",
    kind,
    options: all,
    mutatePath: all.default === undefined ? undefined : (all.mutatePath ?? `/mutate-${path}`),
    validatePath: validates ? (all.validatePath ?? `/validate-${path}`) : undefined,
  };
}
