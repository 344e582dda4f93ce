import type { AnyKind, DeepReadonly, KindOf, KubeObject } from "@bowline/api";

/** What a validation may answer: nothing or texts of warnings. It refuses by throwing. */
export type ValidationAnswer =
  | readonly string[]
  | undefined
  | void
  | Promise<readonly string[] | undefined | void>;

/** What a webhook function is told beside the object. */
export interface AdmissionContext {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly user: { readonly username?: string; readonly groups?: readonly string[]; readonly uid?: string };
  readonly dryRun: boolean;
  readonly subresource: string;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** Admission of a kind. */
export interface WebhookOptions<T extends KubeObject> {
  /** Fills fields in: answers a new object (or undefined for no change). The patch is computed from the difference. */
  default?(
    object: DeepReadonly<T>,
    ctx: AdmissionContext,
  ): T | DeepReadonly<T> | undefined | void | Promise<T | DeepReadonly<T> | undefined | void>;
  validateCreate?(object: DeepReadonly<T>, ctx: AdmissionContext): ValidationAnswer;
  validateUpdate?(object: DeepReadonly<T>, old: DeepReadonly<T>, ctx: AdmissionContext): ValidationAnswer;
  validateDelete?(object: DeepReadonly<T>, ctx: AdmissionContext): ValidationAnswer;
  /** What happens when the webhook cannot be called. Default `Fail`. */
  readonly failurePolicy?: "Fail" | "Ignore";
  /** Default 10. */
  readonly timeoutSeconds?: number;
}

/** A webhook, ready to be given to a manager. */
export interface WebhookDefinition {
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
  const validates = all.validateCreate ?? all.validateUpdate ?? all.validateDelete;
  return {
    kind,
    options: all,
    mutatePath: all.default === undefined ? undefined : `/mutate-${path}`,
    validatePath: validates === undefined ? undefined : `/validate-${path}`,
  };
}
