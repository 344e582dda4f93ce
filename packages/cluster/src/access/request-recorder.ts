/** Notes who asks for what, so that the permissions that a program needs can be derived from what it did. */
import type { AuthorizationRequest, RequestAttributes } from "./authorization.ts";

/** One kind of request that was seen, however often. */
export interface RecordedRequest extends RequestAttributes {
  /** Of a request that is no resource. */
  readonly path: string;
  /** Whether it was allowed when it was seen. */
  readonly allowed: boolean;
}

export interface RecordingFilter {
  /** Only requests of this user name. */
  readonly user?: string;
  /** Only requests whose User-Agent starts with this. */
  readonly userAgent?: string;
}

/** A recording under way; end it with `stop`. */
export interface RequestRecording {
  /** What was seen so far, each once, in the order of the first time. */
  readonly requests: readonly RecordedRequest[];
  stop(): void;
}

export class RequestRecorder {
  readonly #recordings = new Set<Recording>();

  start(filter: RecordingFilter = {}): RequestRecording {
    const recording = new Recording(filter, () => void this.#recordings.delete(recording));
    this.#recordings.add(recording);
    return recording;
  }

  /** Costs nothing while nobody records. */
  observe(
    request: AuthorizationRequest,
    about: { readonly userAgent: string | undefined; readonly allowed: boolean },
  ): void {
    for (const recording of this.#recordings) recording.observe(request, about);
  }
}

class Recording implements RequestRecording {
  readonly #filter: RecordingFilter;
  readonly #seen = new Map<string, RecordedRequest>();
  readonly stop: () => void;

  constructor(filter: RecordingFilter, stop: () => void) {
    this.#filter = filter;
    this.stop = stop;
  }

  get requests(): readonly RecordedRequest[] {
    return [...this.#seen.values()];
  }

  observe(
    { user, info, path }: AuthorizationRequest,
    about: { userAgent: string | undefined; allowed: boolean },
  ): void {
    const { user: name, userAgent } = this.#filter;
    if (name !== undefined && name !== user.name) return;
    if (userAgent !== undefined && about.userAgent?.startsWith(userAgent) !== true) return;
    const { isResource, verb, group, namespace, resource, subresource } = info;
    const seen: RecordedRequest = {
      isResource,
      verb,
      group,
      namespace,
      resource,
      subresource,
      name: info.name,
      path: isResource ? "" : path,
      allowed: about.allowed,
    };
    const key = Object.values(seen).join("\0");
    if (!this.#seen.has(key)) this.#seen.set(key, seen);
  }
}
