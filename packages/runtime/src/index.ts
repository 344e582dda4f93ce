// Controllers
export { defineController, defineLoop } from "./controller/define-controller.ts";
export type {
  ControllerDefinition,
  ControllerOptions,
  CustomSource,
  Desired,
  DesiredOptions,
  KeyLoopOptions,
  LoopOptions,
  Observed,
  OwnsOptions,
  ReconcileAnswer,
} from "./controller/define-controller.ts";
export type {
  ApplyOptions,
  ChildState,
  ChildrenOptions,
  ChildrenResult,
  ObjectRef,
  OwnershipOptions,
  PlannedChild,
  ReconcileContext,
  StatusPatch,
} from "./controller/reconcile-context.ts";
export { RetryAfterError, TerminalError, isRetryAfterError, isTerminalError } from "./controller/result.ts";
export { observed } from "./controller/desired.ts";
export type { ReconcileResult } from "./controller/result.ts";
export { objectKey, parseRequestKey, requestKey } from "./controller/request.ts";
export type { Cause, ReconcileRequest } from "./controller/request.ts";

// External resources
export { ensureExternal, removeExternal } from "./controller/external-resource.ts";
export type { ExternalOutcome, ExternalResource } from "./controller/external-resource.ts";

// Events to keys
export { watch } from "./controller/event-handler.ts";
export type {
  MapFunction,
  RequestLike,
  WatchDefinition,
  WatchOptions,
} from "./controller/event-handler.ts";
export {
  allOf,
  annotationsChanged,
  anyOf,
  changed,
  generationChanged,
  labelsChanged,
  matchesLabels,
  not,
  resourceVersionChanged,
} from "./controller/predicate.ts";
export type { Predicate } from "./controller/predicate.ts";
export { isReady } from "./controller/readiness.ts";
export type { Readiness } from "./controller/readiness.ts";

// Cache
export { createCache } from "./cache/cache.ts";
export type { CacheEvent } from "./cache/cache-event.ts";
export type {
  Cache,
  CacheOptions,
  CachedListOptions,
  CachedReadOptions,
  InformerHold,
  KindCacheOptions,
  KindReport,
  StandaloneCache,
} from "./cache/cache.ts";
export type { IndexFunction } from "./cache/indexer.ts";
export type { HandlerRegistration, Informer } from "./cache/informer.ts";

// Queue
export { WorkQueue } from "./queue/work-queue.ts";
export type { AddOptions, QueueItem, WorkQueueObserver, WorkQueueOptions } from "./queue/work-queue.ts";
export {
  RetryDelay,
  exponentialBackOff,
  jittered,
  longestBackOff,
  tokenBucketBackOff,
} from "./queue/back-off.ts";
export type { BackOff, ExponentialOptions, RetryDelayOptions, TokenBucketOptions } from "./queue/back-off.ts";

// Manager
export { createManager } from "./manager/manager.ts";
export type { Manager, ManagerPorts } from "./manager/manager.ts";
export type { ClusterOptions, ManagerOptions } from "./manager/manager-options.ts";
export type { Term } from "./manager/term.ts";
export { LeaderElector } from "./manager/leader-election.ts";
export type { LeaderElectionOptions, LeaderElectorOptions } from "./manager/leader-election.ts";
export type { Runnable } from "./manager/runnable.ts";
export type { HealthCheck } from "./manager/health.ts";
export { pinoLogger, silentLogger } from "./manager/logger.ts";
export type { Logger } from "./manager/logger.ts";
export type { EventInput } from "./manager/event-recorder.ts";

// Operators
export { managerFlags } from "./manager/manager-flags.ts";
export type { ManagerFlags } from "./manager/manager-flags.ts";
export { defineOperator, runOperator } from "./manager/operator.ts";
export { operatorPermissions } from "./manager/operator-permissions.ts";
export type { OperatorDefinition, Permission, RunOperatorOptions } from "./manager/operator.ts";

// Webhooks
export { defineWebhook } from "./webhook/define-webhook.ts";
export type {
  AdmissionContext,
  DefaultAnswer,
  ValidationAnswer,
  WebhookDefinition,
  WebhookOptions,
} from "./webhook/define-webhook.ts";
export { checkRoundTrip, convertObject, defineConversion } from "./webhook/define-conversion.ts";
export type { ConversionDefinition, RoundTripLoss, Spoke } from "./webhook/define-conversion.ts";
export { conversionOf, registerWebhooks, webhookConfigurations } from "./webhook/webhook-configuration.ts";
export { webhookHandler } from "./webhook/webhook-handler.ts";
export type { WebhookAnswer, WebhookRequest } from "./webhook/webhook-router.ts";
export type { ConfigurationOptions, WebhookReach } from "./webhook/webhook-configuration.ts";
export type { WebhookServerOptions } from "./webhook/webhook-stage.ts";
export { createCertificateAuthority, issueCertificate, signRequest } from "./webhook/certificate.ts";
export { readSigningRequest } from "./webhook/signing-request.ts";
export type { SigningRequest } from "./webhook/signing-request.ts";
export type { CertificateRequest, KeyPair } from "./webhook/certificate.ts";

// Errors
export {
  CacheSyncError,
  MisuseError,
  ReconcileTimeoutError,
  StaleCacheError,
  TermOverError,
  isCacheSyncError,
  isMisuseError,
  isReconcileTimeoutError,
  isStaleCacheError,
  isTermOverError,
} from "./errors.ts";
