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
} from "./controller/reconcile-context.ts";
export { RetryAfterError, TerminalError, isRetryAfterError, isTerminalError } from "./controller/result.ts";
export type { ReconcileResult } from "./controller/result.ts";
export { objectKey, parseRequestKey, requestKey } from "./controller/request.ts";
export type { Cause, ReconcileRequest } from "./controller/request.ts";

// Events to keys
export { watch } from "./controller/event-handler.ts";
export type {
  MapFunction,
  RequestLike,
  WatchDefinition,
  WatchOptions,
} from "./controller/event-handler.ts";
export type { Predicate } from "./controller/predicate.ts";

// Cache
export type { CacheEvent } from "./cache/cache-event.ts";
export type {
  Cache,
  CacheOptions,
  CachedListOptions,
  CachedReadOptions,
  KindCacheOptions,
  KindReport,
} from "./cache/cache.ts";
export type { IndexFunction } from "./cache/indexer.ts";
export type { HandlerRegistration, Informer } from "./cache/informer.ts";

// Queue
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
export type {
  ClusterOptions,
  LeaderElectionOptions,
  Manager,
  ManagerOptions,
  Runnable,
} from "./manager/manager.ts";
export { silentLogger } from "./manager/logger.ts";
export type { Logger } from "./manager/logger.ts";
export type { EventInput } from "./manager/event-recorder.ts";

// Webhooks
export { defineWebhook } from "./webhook/define-webhook.ts";
export type {
  AdmissionContext,
  ValidationAnswer,
  WebhookDefinition,
  WebhookOptions,
} from "./webhook/define-webhook.ts";
