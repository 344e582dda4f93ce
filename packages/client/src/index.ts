// Ports
export { rfc3339, rfc3339Micro, sleep } from "./ports/clock.ts";
export type { Clock, Timer } from "./ports/clock.ts";
export { systemClock, turn } from "./ports/system-clock.ts";
export { VirtualClock, settle } from "./ports/virtual-clock.ts";
export type { Random } from "./ports/random.ts";
export { systemRandom } from "./ports/system-random.ts";
export { seededRandom } from "./ports/seeded-random.ts";
export type {
  ApiRequest,
  ApiResponse,
  ByteStream,
  MessageSocket,
  Transport,
  WatchEvent,
  WatchStream,
} from "./ports/transport.ts";

// Errors
export {
  ConfigError,
  ConnectionError,
  CredentialError,
  InvalidCallError,
  NoKindMatchError,
  isConnectionError,
  isNoKindMatch,
  isNotServed,
} from "./errors.ts";

// Client
export { createClient } from "./client.ts";
export type {
  Client,
  ClientDefaults,
  ClientOptions,
  ObjectEvent,
  Reader,
  WarningContext,
  Watch,
  Writer,
} from "./client.ts";
export { metadataOnly } from "./kind-like.ts";
export type {
  ApplyOf,
  KeyLike,
  KindLike,
  KindRef,
  ListOf,
  MergePatch,
  MergePatchOf,
  MetadataKind,
  ObjectKey,
  PartialObjectMetadata,
  ReadOf,
  WriteOf,
} from "./kind-like.ts";
export type {
  ApplyOptions,
  CallOptions,
  DeleteAllOfOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  PageOptions,
  Patch,
  PatchOptions,
  PropagationPolicy,
  SelectOptions,
  WatchOptions,
  WriteOptions,
} from "./verb-options.ts";

// What is done with clients
export { createOrPatch, createOrUpdate } from "./operations/create-or-update.ts";
export type { Outcome } from "./operations/create-or-update.ts";
export { evict } from "./operations/evict.ts";
export { migrateStorage } from "./operations/migrate-storage.ts";
export type { StorageMigration } from "./operations/migrate-storage.ts";
export { podAttach, podExec } from "./operations/pod-exec.ts";
export type { PodAttachOptions, PodExecOptions, PodExecResult } from "./operations/pod-exec.ts";
export { podLog } from "./operations/pod-log.ts";
export type { PodLog, PodLogOptions } from "./operations/pod-log.ts";
export { portForward } from "./operations/port-forward.ts";
export type { PortForward, PortForwardOptions } from "./operations/port-forward.ts";
export { requestToken } from "./operations/request-token.ts";
export type { IssuedToken, RequestTokenOptions } from "./operations/request-token.ts";
export { retryOnConflict } from "./operations/retry-on-conflict.ts";
export type { RetryOnConflictOptions } from "./operations/retry-on-conflict.ts";
export { getScale, setScale } from "./operations/scale.ts";

// HTTP
export { createHttpTransport } from "./http/http-transport.ts";
export type { HttpTransport, HttpTransportOptions } from "./http/http-transport.ts";
export type { ObservedRequest, ObservedWait, RequestObserver } from "./http/request-observer.ts";

// Discovery
export { createRestMapper } from "./discovery/rest-mapper.ts";
export type { DiscoveredKind, ResourceRef, RestMapper } from "./discovery/rest-mapper.ts";

// Configuration
export { connectionFromKubeconfig, loadConnection } from "./config/load-connection.ts";
export { fixedCredentials } from "./config/connection.ts";
export type { LoadConnectionOptions } from "./config/load-connection.ts";
export type { Connection, CredentialSource, Credentials, Impersonation } from "./config/connection.ts";
