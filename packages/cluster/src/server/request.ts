import type { MessageSocket } from "@bowline/client";
import type { UserInfo } from "../registry/user.ts";
import type { Revision } from "../store/revision.ts";
import type { Encoding } from "./negotiation.ts";
import type { WatchSession } from "./watch-session.ts";

/** A body as it came: bytes over HTTP, or a JSON value handed over in process (never to be changed). */
export type RequestBody = { readonly bytes: Uint8Array } | { readonly value: unknown } | undefined;

/** One request, whichever way it came. */
export interface ServerRequest {
  readonly method: string;
  /** Escaped path without query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case; repeated headers are joined with `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: RequestBody;
  readonly user: UserInfo;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

/** Response headers in lower case; `warning` may have several lines. */
export type ResponseHeaders = Record<string, string | string[]>;

interface Head {
  readonly status: number;
  readonly headers: ResponseHeaders;
}

/**
 * An answer before it is encoded: over HTTP it becomes bytes (those a revision keeps, where there is one), in process the
 * frozen objects themselves.
 */
export type ServerResponse =
  | (Head & { readonly kind: "object"; readonly object: unknown; readonly revision?: Revision })
  | (Head & {
      readonly kind: "list";
      /** The list without its items. */
      readonly list: { readonly apiVersion: string; readonly kind: string; readonly metadata: unknown };
      readonly items: readonly Revision[];
      /** Items carry apiVersion and kind; those of built-in kinds leave to the list what they are. */
      readonly typedItems: boolean;
    })
  | (Head & { readonly kind: "raw"; readonly data: string | Uint8Array })
  | (Head & { readonly kind: "watch"; readonly encoding: Encoding; readonly session: WatchSession })
  | (Head & { readonly kind: "bytes"; readonly stream: AsyncIterable<Uint8Array> })
  | (Head & {
      /** An upgrade to a WebSocket, status 101. Only for requests whose `upgrade` header asks for one. */
      readonly kind: "socket";
      /** The subprotocol, one of those that the client offers; `""` for none. */
      readonly protocol: string;
      /** Talks to the client; the connection is closed when it resolves or rejects. */
      serve(socket: MessageSocket): Promise<void>;
    })
  | (Head & {
      /** An upgrade to SPDY/3.1, status 101. Only for requests whose `upgrade` header asks for it. */
      readonly kind: "spdy";
      /** What is spoken on its streams, one of those that the client offers. */
      readonly protocol: string;
      /** Talks to the client: messages are pieces of the connection's bytes. The connection is closed at its end. */
      serve(socket: MessageSocket): Promise<void>;
    });
