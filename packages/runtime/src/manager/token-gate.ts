import { createHash } from "node:crypto";
import type { Kind, KubeObject } from "@bowline/api";
import type { Client, Clock } from "@bowline/client";

/** Source: authentication.k8s.io/v1 TokenReview. */
interface TokenReviewObject extends KubeObject {
  spec: { token: string };
  status?: { authenticated?: boolean; user?: { username?: string; uid?: string; groups?: string[] } };
}

/** Source: authorization.k8s.io/v1 SubjectAccessReview. */
interface SubjectAccessReviewObject extends KubeObject {
  spec: {
    user?: string;
    uid?: string;
    groups?: string[];
    nonResourceAttributes: { path: string; verb: string };
  };
  status?: { allowed?: boolean };
}

function reviewKind<T extends KubeObject>(group: string, kind: string): Kind<T> {
  const plural = `${kind.toLowerCase()}s`;
  return {
    group,
    version: "v1",
    apiVersion: `${group}/v1`,
    kind,
    listKind: `${kind}List`,
    plural,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    scope: "Cluster",
  };
}

const tokenReview: Kind<TokenReviewObject> = reviewKind("authentication.k8s.io", "TokenReview");
const accessReview: Kind<SubjectAccessReviewObject> = reviewKind(
  "authorization.k8s.io",
  "SubjectAccessReview",
);

/** How long an answer holds. Source: controller-runtime pkg/metrics/filters (filters.go). */
const allowedMs = 60_000;
const deniedMs = 30_000;
/** Beyond so many answers all are asked for again. */
const answersMax = 1000;

/** 200: go on; 401: who are you; 403: you may not. */
export type GateAnswer = 200 | 401 | 403;

/** Lets those in whose bearer token the API server knows and whom it allows to get the path. */
export class TokenGate {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #answers = new Map<string, { readonly answer: GateAnswer; readonly until: number }>();

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** @param authorization the header: `Bearer <token>` @throws StatusError when the reviews fail */
  async check(authorization: string | undefined, path: string): Promise<GateAnswer> {
    const token = /^Bearer\s+(\S+)$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) return 401;
    // tokens themselves are not kept in memory longer than the request
    const key = `${createHash("sha256").update(token).digest("base64")} ${path}`;
    const known = this.#answers.get(key);
    if (known !== undefined && known.until > this.#clock.monotonic()) return known.answer;
    const answer = await this.#review(token, path);
    if (this.#answers.size >= answersMax) this.#answers.clear();
    const holdsMs = answer === 200 ? allowedMs : deniedMs;
    this.#answers.set(key, { answer, until: this.#clock.monotonic() + holdsMs });
    return answer;
  }

  async #review(token: string, path: string): Promise<GateAnswer> {
    const { apiVersion, kind } = tokenReview;
    const review = await this.#client.create(tokenReview, {
      apiVersion,
      kind,
      metadata: {},
      spec: { token },
    });
    const { authenticated, user = {} } = review.status ?? {};
    if (authenticated !== true) return 401;
    const access = await this.#client.create(accessReview, {
      apiVersion: accessReview.apiVersion,
      kind: accessReview.kind,
      metadata: {},
      spec: {
        ...(user.username === undefined ? {} : { user: user.username }),
        ...(user.uid === undefined ? {} : { uid: user.uid }),
        ...(user.groups === undefined ? {} : { groups: user.groups }),
        nonResourceAttributes: { path, verb: "get" },
      },
    });
    return access.status?.allowed === true ? 200 : 403;
  }
}
