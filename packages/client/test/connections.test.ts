import { mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocketServer } from "ws";
import {
  ConfigError,
  type Connection,
  type HttpTransport,
  VirtualClock,
  createClient,
  createHttpTransport,
  loadConnection,
  podExec,
} from "../src/index.ts";
import { createAuthority } from "./certificates.ts";
import { type TestServer, sendJson, startServer, testAuthority } from "./https-server.ts";
import { rejection } from "./until.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

const get = { method: "GET", path: "/version" } as const;

async function start(options: Parameters<typeof startServer>[1] = {}): Promise<TestServer> {
  const server = await startServer((_request, response) => sendJson(response, 200, { ok: true }), options);
  opened.push(server);
  return server;
}

function transportTo(connection: Partial<Connection> & { server: string }): HttpTransport {
  const transport = createHttpTransport({ namespace: "default", origin: "test", ...connection });
  opened.push(transport);
  return transport;
}

/** Listens on a free port until the test ends. */
async function listen(server: net.Server): Promise<number> {
  const sockets = new Set<net.Socket>();
  server.on("connection", (socket) => void sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push({
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  });
  return (server.address() as net.AddressInfo).port;
}

describe("what a failed connection says", () => {
  async function failure(connection: Partial<Connection> & { server: string }): Promise<string> {
    const error = await rejection(transportTo(connection).request(get));
    expect(error).toMatchObject({ name: "ConnectionError", code: "BOWLINE_CONNECTION" });
    expect(error.message).toContain(`GET /version: no answer from ${connection.server}: `);
    return error.message.slice(
      error.message.indexOf(`${connection.server}: `) + connection.server.length + 2,
    );
  }

  it("names a port on which nobody listens", async () => {
    const port = await listen(net.createServer());
    await opened.pop()?.close();
    expect(await failure({ server: `https://127.0.0.1:${port}` })).toBe(
      "connection refused; is the API server running there?",
    );
  });

  it("names a host that does not exist", async () => {
    expect(await failure({ server: "https://no-such-host.invalid" })).toMatch(
      /^the host name (does not resolve|cannot be resolved just now)$/,
    );
  });

  it("names an authority that is not trusted, or another one", async () => {
    const server = await start();
    const hint = /^its certificate .*; check certificate-authority$/;
    expect(await failure({ server: server.url })).toMatch(hint);
    expect(await failure({ server: server.url, ca: (await createAuthority("other")).ca })).toMatch(hint);
  });

  it("names a certificate for another name, unless the name to expect is given", async () => {
    const authority = await testAuthority();
    const server = await start();
    server.rotate(await authority.server(["api.example.com"]));
    expect(await failure({ server: server.url, ca: authority.ca })).toBe(
      "its certificate is for another name; check the server address or tls-server-name",
    );
    const named = transportTo({ server: server.url, ca: authority.ca, tlsServerName: "api.example.com" });
    expect((await named.request(get)).status).toBe(200);
    const careless = transportTo({ server: server.url, insecureSkipTlsVerify: true });
    expect((await careless.request(get)).status).toBe(200);
  });

  it("names a port that does not speak TLS, or not HTTP", async () => {
    const plain = http.createServer((_request, response) => response.end("{}"));
    const port = await listen(plain);
    expect(await failure({ server: `https://127.0.0.1:${port}` })).toBe(
      "the port does not speak TLS; should the address begin with http://?",
    );
    const other = await listen(net.createServer((socket) => socket.end("220 mail.example.com\r\n")));
    expect(await failure({ server: `http://127.0.0.1:${other}` })).toBe(
      "the port does not speak HTTP; should the address begin with https://?",
    );
  });

  it.each(["localhost:6443", "ftp://x", "not a url", ""])("refuses %j as an address", (server) => {
    const make = (): unknown => createHttpTransport({ server, namespace: "", origin: "kubeconfig x" });
    expect(make).toThrow(ConfigError);
    expect(make).toThrow("kubeconfig x: server: expected a URL that begins with https:// or http://, found");
  });
});

describe("closing a transport", () => {
  it("fails what waits for a connection that is still being opened", async () => {
    const port = await listen(net.createServer());
    for (const http2 of [true, false]) {
      const connection = { server: `https://127.0.0.1:${port}`, namespace: "", origin: "test" };
      const transport = createHttpTransport(connection, { http2, clock: new VirtualClock() });
      const failures = [
        rejection(transport.request(get)),
        rejection(transport.watch({ ...get, query: { watch: "true" } })),
        rejection(transport.openSocket(get)),
      ];
      await new Promise<void>((resolve) => setImmediate(resolve));
      await transport.close();
      for (const error of await Promise.all(failures)) {
        expect(error.message).toBe(`the connections to https://127.0.0.1:${port} are closed`);
      }
    }
  });
});

describe("connections and certificates", () => {
  it("speaks plain HTTP where the address says so", async () => {
    const port = await listen(
      http.createServer((_request, response) =>
        response.setHeader("content-type", "application/json").end('{"ok":true}'),
      ),
    );
    expect((await transportTo({ server: `http://127.0.0.1:${port}` }).request(get)).body).toEqual({
      ok: true,
    });
  });

  it("follows an authority file that is replaced together with the server's certificate", async () => {
    const folder = await mkdtemp(join(tmpdir(), "bowline-ca-"));
    opened.push({ close: () => rm(folder, { recursive: true }) });
    const [first, second] = [await createAuthority("first"), await createAuthority("second")];
    const clock = new VirtualClock();
    const server = await start({ authority: first });
    const config = `{current-context: c, contexts: [{name: c, context: {cluster: c}}], clusters: [{name: c, cluster: {server: "${server.url}", certificate-authority: ca.crt}}]}`;
    await writeFile(join(folder, "ca.crt"), first.ca);
    await writeFile(join(folder, "config"), config);
    const connection = await loadConnection({ kubeconfig: join(folder, "config"), clock });
    const transport = createHttpTransport(connection, { clock });
    opened.push(transport);
    expect((await transport.request(get)).status).toBe(200);
    server.rotate(await second.server());
    server.reset();
    await writeFile(join(folder, "ca.crt"), second.ca);
    await clock.advance(10_000);
    expect((await transport.request(get)).status).toBe(200);
  });
});

describe("connections through a proxy", () => {
  interface Proxy {
    readonly url: string;
    /** `CONNECT host:port authorization`, in order. */
    readonly seen: string[];
  }

  async function httpProxy(answer = "HTTP/1.1 200 Connection established\r\n\r\n"): Promise<Proxy> {
    const seen: string[] = [];
    const proxy = http.createServer();
    proxy.on("connect", (request, client: net.Socket, head: Buffer) => {
      seen.push(`CONNECT ${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim());
      if (!answer.startsWith("HTTP/1.1 200")) return void client.end(answer);
      const upstream = net.connect(Number(request.url?.split(":")[1]), "127.0.0.1", () => {
        client.write(answer);
        upstream.write(head);
        upstream.pipe(client).pipe(upstream);
      });
      for (const socket of [client, upstream]) socket.on("error", () => {});
    });
    const port = await listen(proxy);
    return { url: `http://127.0.0.1:${port}`, seen };
  }

  it("case 17: tunnels to the server with CONNECT, with the login of the proxy's address", async () => {
    const server = await start();
    const proxy = await httpProxy();
    const proxyUrl = proxy.url.replace("http://", "http://us%40er:pass@");
    const transport = transportTo({ server: server.url, ca: server.authority.ca, proxyUrl });
    expect((await transport.request(get)).body).toEqual({ ok: true });
    expect(proxy.seen).toEqual([
      `CONNECT localhost:${server.port} Basic ${Buffer.from("us@er:pass").toString("base64")}`,
    ]);
  });

  it("case 17: uses it for sessions in pods as well", async () => {
    const server = await start();
    const sockets = new WebSocketServer({ noServer: true });
    server.onUpgrade((request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, (one) =>
        one.send(Buffer.from('\x03{"status":"Success"}')),
      ),
    );
    const proxy = await httpProxy();
    const transport = transportTo({ server: server.url, ca: server.authority.ca, proxyUrl: proxy.url });
    const result = await podExec(
      createClient({ transport }),
      { namespace: "a", name: "b" },
      { command: ["x"] },
    );
    expect(result.exitCode).toBe(0);
    expect(proxy.seen).toEqual([`CONNECT localhost:${server.port}`]);
  });

  it("names the proxy that refuses, hangs up or is not there", async () => {
    const refusing = await httpProxy("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    const closing = await listen(net.createServer((socket) => socket.end()));
    const cases = [
      [
        refusing.url,
        "it refused to connect to api.example.com:6443: HTTP/1.1 407 Proxy Authentication Required",
      ],
      [`http://127.0.0.1:${closing}`, "it closed the connection"],
      ["http://127.0.0.1:1", "connect ECONNREFUSED 127.0.0.1:1"],
    ] as const;
    for (const [proxyUrl, message] of cases) {
      const error = await rejection(
        transportTo({ server: "https://api.example.com:6443", proxyUrl }).request(get),
      );
      expect(error.message).toBe(
        `GET /version: no answer from https://api.example.com:6443: proxy ${proxyUrl}: ${message}`,
      );
    }
  });

  it("speaks SOCKS5, with and without a login", async () => {
    const server = await start();
    const seen: string[] = [];
    const port = await listen(socksProxy(seen));
    for (const login of ["", "me:secret@"]) {
      const proxyUrl = `socks5://${login}127.0.0.1:${port}`;
      const transport = transportTo({ server: server.url, ca: server.authority.ca, proxyUrl });
      expect((await transport.request(get)).body).toEqual({ ok: true });
    }
    expect(seen).toEqual([`localhost:${server.port}`, "me secret", `localhost:${server.port}`]);
  });

  it("refuses a proxy of another kind", () => {
    const make = (): unknown => transportTo({ server: "https://x", proxyUrl: "quic://y" });
    expect(make).toThrow(
      "test: proxy-url: expected a URL that begins with http:// or https:// or socks5:// or socks5h://",
    );
  });
});

/** As much of RFC 1928 and 1929 as one client needs. */
function socksProxy(seen: string[]): net.Server {
  return net.createServer((client) => {
    client.on("error", () => {});
    let step = 0;
    client.on("data", (data: Buffer) => {
      if (step === 0) {
        const wantsLogin = data.includes(2, 2);
        step = wantsLogin ? 1 : 2;
        return void client.write(Buffer.of(5, wantsLogin ? 2 : 0));
      }
      if (step === 1) {
        const userLength = data[1] ?? 0;
        seen.push(
          `${data.subarray(2, 2 + userLength).toString()} ${data.subarray(3 + userLength).toString()}`,
        );
        step = 2;
        return void client.write(Buffer.of(1, 0));
      }
      const host = data.subarray(5, 5 + (data[4] ?? 0)).toString();
      const port = data.readUInt16BE(data.length - 2);
      seen.push(`${host}:${port}`);
      client.removeAllListeners("data");
      const upstream = net.connect(port, "127.0.0.1", () => {
        client.write(Buffer.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
        client.pipe(upstream).pipe(client);
      });
      upstream.on("error", () => {});
    });
  });
}
