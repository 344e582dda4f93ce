import http2 from "node:http2";
import https from "node:https";
import { gunzipSync } from "node:zlib";
import { createProtobufCodec } from "@bowline/api/catalog";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cluster, type Listening, createCluster } from "../../src/cluster.ts";
import { configMaps } from "./collection.ts";

let cluster: Cluster;
let server: Listening;

beforeAll(async () => {
  cluster = await createCluster({ controllers: false });
  server = await cluster.listen();
});
afterAll(() => cluster.close());

interface Answer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: Buffer;
}

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

function send({ method = "GET", path, headers = {}, body }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = https.request(
      server.url + path,
      {
        method,
        ca: server.certificateAuthority,
        agent: false,
        headers: { authorization: `Bearer ${server.token}`, ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        );
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

const json = { "content-type": "application/json" };
const protobuf = "application/vnd.kubernetes.protobuf";

function configMap(name: string, data: Record<string, string> = {}): string {
  return JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
}

function firstLine(stream: http2.ClientHttp2Stream): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    stream.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.endsWith("\n")) resolve(text);
    });
  });
}

describe("Protobuf over HTTPS", () => {
  const codec = createProtobufCodec();

  it("is read from bodies and written in answers, errors and lists", async () => {
    const body = codec.encode(JSON.parse(configMap("proto", { a: "1" })));
    const headers = { "content-type": protobuf, accept: `${protobuf}, application/json` };
    const created = await send({ method: "POST", path: configMaps, headers, body });
    expect(created.status).toBe(201);
    expect(created.headers["content-type"]).toBe(protobuf);
    expect(codec.decode(created.body)).toMatchObject({ kind: "ConfigMap", data: { a: "1" } });
    const again = await send({ method: "POST", path: configMaps, headers, body });
    expect(codec.decode(again.body)).toMatchObject({ kind: "Status", reason: "AlreadyExists", code: 409 });
    const listed = codec.decode((await send({ path: configMaps, headers })).body);
    expect(listed).toMatchObject({ kind: "ConfigMapList" });
    expect(JSON.stringify(listed)).toContain('"name":"proto"');
  });

  it("frames the events of a watch", async () => {
    const accept = `${protobuf};stream=watch`;
    const query = "?watch=true&timeoutSeconds=1&resourceVersion=0&fieldSelector=metadata.name%3Dproto";
    const { headers, body } = await send({ path: configMaps + query, headers: { accept } });
    expect(headers["content-type"]).toBe(accept);
    expect(body.readUInt32BE(0)).toBe(body.length - 4);
    expect(body.includes("ADDED")).toBe(true);
  });

  it("is not what a broken message is taken for", async () => {
    const broken = await send({
      method: "POST",
      path: configMaps,
      headers: { "content-type": protobuf },
      body: "junk",
    });
    expect(broken.status).toBe(400);
    expect(broken.body.toString()).toContain("expected prefix [107 56 115 0]");
  });
});

describe("HTTP", () => {
  it("compresses large answers for those who take it, and only those", async () => {
    for (let i = 0; i < 3; i++) {
      const body = configMap(`large-${i}`, { text: "x".repeat(100_000) });
      await send({ method: "POST", path: configMaps, headers: json, body });
    }
    const plain = await send({ path: configMaps });
    const packed = await send({ path: configMaps, headers: { "accept-encoding": "gzip" } });
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(packed.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
    const small = await send({ path: `${configMaps}/none`, headers: { "accept-encoding": "gzip" } });
    expect(small.headers["content-encoding"]).toBeUndefined();
  });

  it("answers HEAD as GET, without the body", async () => {
    const got = await send({ path: "/version" });
    const head = await send({ method: "HEAD", path: "/version" });
    expect(head.status).toBe(200);
    expect(head.headers["content-length"]).toBe(String(got.body.length));
    expect(head.body).toHaveLength(0);
  });

  it("answers a body that is too large with 413, after it was sent", async () => {
    const body = "x".repeat(3 * 1024 * 1024 + 1);
    const refused = await send({ method: "POST", path: configMaps, headers: json, body });
    expect(refused.status).toBe(413);
    expect(JSON.parse(refused.body.toString())).toMatchObject({
      reason: "RequestEntityTooLarge",
      message: "Request entity too large: limit is 3145728",
    });
  });

  it("sends warnings of any script as UTF-8", async () => {
    const body = JSON.stringify({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "warned" },
      "é✓": 1,
    });
    const { headers } = await send({ method: "POST", path: configMaps, headers: json, body });
    expect(Buffer.from(String(headers["warning"]), "latin1").toString()).toBe(
      '299 - "unknown field \\"é✓\\""',
    );
  });

  it("refuses a timeout that is none, and takes those of Go", async () => {
    expect((await send({ path: "/version?timeout=abc" })).status).toBe(400);
    expect((await send({ path: "/version?timeout=1m30s" })).status).toBe(200);
  });

  it("takes a query of a hundred thousand characters", async () => {
    const labels = Array.from({ length: 5000 }, (_, i) => `value-number-${i}`).join(",");
    const { status } = await send({ path: `${configMaps}?labelSelector=a+in+(${labels})` });
    expect(status).toBe(200);
  });

  it("says 401 to a token that it does not know", async () => {
    const { status, body } = await send({ path: configMaps, headers: { authorization: "Bearer x" } });
    expect(status).toBe(401);
    expect(JSON.parse(body.toString())).toMatchObject({ kind: "Status", reason: "Unauthorized" });
  });

  it("carries many watches over one HTTP/2 connection", async () => {
    const session = http2.connect(server.url, { ca: server.certificateAuthority });
    const path = `${configMaps}?watch=true&timeoutSeconds=30&fieldSelector=metadata.name%3Dstreamed`;
    const headers = { ":path": path, authorization: `Bearer ${server.token}` };
    const streams = Array.from({ length: 200 }, () => session.request(headers));
    await Promise.all(streams.map((stream) => new Promise((resolve) => stream.once("response", resolve))));
    const events = streams.map(firstLine);
    await send({ method: "POST", path: configMaps, headers: json, body: configMap("streamed") });
    for (const line of await Promise.all(events)) {
      expect(JSON.parse(line)).toMatchObject({ type: "ADDED", object: { metadata: { name: "streamed" } } });
    }
    for (const stream of streams) stream.close();
    session.destroy();
  });
});
