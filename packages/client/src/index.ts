// Ports
export { rfc3339, rfc3339Micro, sleep } from "./ports/clock.ts";
export type { Clock, Timer } from "./ports/clock.ts";
export { systemClock } from "./ports/system-clock.ts";
export { VirtualClock, settle } from "./ports/virtual-clock.ts";
export type { Random } from "./ports/random.ts";
export { systemRandom } from "./ports/system-random.ts";
export { seededRandom } from "./ports/seeded-random.ts";
export type {
  ApiRequest,
  ApiResponse,
  ByteStream,
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
  JsonPatchOperation,
  ListOptions,
  PageOptions,
  Patch,
  PatchOptions,
  PropagationPolicy,
  SelectOptions,
  WatchOptions,
  WriteOptions,
} from "./verb-options.ts";

// HTTP
export { createHttpTransport } from "./http/http-transport.ts";
export type { HttpTransport, HttpTransportOptions } from "./http/http-transport.ts";
export type { ObservedRequest, RequestObserver } from "./http/request-observer.ts";

// Discovery
export { createRestMapper } from "./discovery/rest-mapper.ts";
export type { DiscoveredKind, ResourceRef, RestMapper } from "./discovery/rest-mapper.ts";

// Configuration
export { loadConnection } from "./config/load-connection.ts";
export type { LoadConnectionOptions } from "./config/load-connection.ts";
export type { Connection, CredentialSource, Credentials, Impersonation } from "./config/connection.ts";
