/** A real HTTPS server that answers reviews, for tests of webhooks. */
import { once } from "node:events";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { systemRandom } from "@bowline/client";
import { createCertificateAuthority, issueCertificate } from "@bowline/runtime";

export interface ReviewRequest {
  readonly uid: string;
  readonly [field: string]: unknown;
}

/** What a webhook answers: the response without its uid; `raw` for the whole body, `never` for no answer at all. */
export type ReviewAnswer =
  | { readonly status?: number; readonly raw: unknown }
  | "never"
  | Record<string, unknown>;

export interface ReviewServer {
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  /** PEM in base64, as configurations have it. */
  readonly caBundle: string;
  /** Paths and requests in the order of their arrival. */
  readonly calls: {
    readonly path: string;
    readonly request: ReviewRequest;
    readonly body: Record<string, unknown>;
  }[];
  /** How a path answers. */
  on(path: string, answer: (request: ReviewRequest) => ReviewAnswer): void;
  close(): Promise<void>;
}

/** Good from 2000 to 2100, so that a virtual clock does not matter. */
const notBefore = Date.UTC(2000, 0, 1);
const notAfter = Date.UTC(2100, 0, 1);
const random = (n: number): Uint8Array => systemRandom.bytes(n);

export async function startReviewServer(hosts: readonly string[] = ["127.0.0.1"]): Promise<ReviewServer> {
  const authority = createCertificateAuthority({ commonName: "test-ca", notBefore, notAfter, random });
  const own = issueCertificate(authority, {
    commonName: "webhook",
    hosts,
    usages: ["serverAuth"],
    notBefore,
    notAfter,
    random,
  });
  const answers = new Map<string, (request: ReviewRequest) => ReviewAnswer>();
  const calls: ReviewServer["calls"] = [];
  const server = https.createServer({ cert: own.certificatePem, key: own.keyPem }, (request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown> & {
        request: ReviewRequest;
      };
      const path = new URL(request.url ?? "/", "https://x").pathname;
      calls.push({ path, request: body.request, body });
      const answer = answers.get(path)?.(body.request) ?? { status: 404, raw: "404 page not found" };
      if (answer === "never") return;
      if ("raw" in answer) {
        response.statusCode = typeof answer["status"] === "number" ? answer["status"] : 200;
        response.end(typeof answer["raw"] === "string" ? answer["raw"] : JSON.stringify(answer["raw"]));
        return;
      }
      const { apiVersion, kind } = body;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ apiVersion, kind, response: { uid: body.request.uid, ...answer } }));
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caBundle: Buffer.from(authority.certificatePem).toString("base64"),
    calls,
    on: (path, answer) => void answers.set(path, answer),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A JSON Patch as webhooks send it. */
export function jsonPatch(...operations: object[]): Record<string, unknown> {
  return {
    allowed: true,
    patchType: "JSONPatch",
    patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
  };
}
