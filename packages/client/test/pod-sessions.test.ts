import type { IncomingMessage } from "node:http";
import net from "node:net";
import { isForbidden } from "@bowline/api";
import { afterEach, describe, expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import {
  type Client,
  type Clock,
  type HttpTransport,
  type PodExecOptions,
  VirtualClock,
  createClient,
  createHttpTransport,
  isConnectionError,
  podAttach,
  podExec,
  portForward,
  systemClock,
} from "../src/index.ts";
import { type TestServer, sendJson, startServer } from "./https-server.ts";
import { RecordingTransport } from "./recording-transport.ts";
import { rejection, until } from "./until.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

const pod = { namespace: "default", name: "web" };
const success = { status: "Success" };

/** A message as servers send it: the number of its channel, then its content. */
const message = (channel: number, content: string | object): Buffer =>
  Buffer.concat([
    Buffer.of(channel),
    Buffer.from(typeof content === "string" ? content : JSON.stringify(content)),
  ]);

interface World {
  readonly client: Client;
  readonly transport: HttpTransport;
  readonly server: TestServer;
}

/** A server whose pods do what the test says, over WebSockets. */
async function world(
  onSocket: (socket: WebSocket, request: IncomingMessage) => void,
  protocol = "v5.channel.k8s.io",
  clock: Clock = systemClock,
): Promise<World> {
  const server = await startServer((_request, response) =>
    sendJson(response, 403, { kind: "Status", code: 403, reason: "Forbidden" }),
  );
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => (offered.has(protocol) ? protocol : false),
  });
  server.onUpgrade((request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (one) => onSocket(one, request)),
  );
  const connection = { server: server.url, ca: server.authority.ca, namespace: "default", origin: "test" };
  const transport = createHttpTransport(connection, { clock });
  opened.push(server, transport);
  return { client: createClient({ transport }), transport, server };
}

describe("podExec", () => {
  it("runs a program and gives what it wrote and its exit code", async () => {
    let url = "";
    const { client } = await world((socket, request) => {
      url = request.url ?? "";
      for (const channel of [1, 2, 3]) socket.send(Buffer.of(channel));
      socket.send(message(1, "out "));
      socket.send(message(2, "err"));
      socket.send(message(1, "put"));
      const causes = [{ reason: "ExitCode", message: "3" }];
      socket.send(message(3, { status: "Failure", reason: "NonZeroExitCode", details: { causes } }));
      socket.close(1000);
    });
    const result = await podExec(client, pod, { command: ["sh", "-c", "a b"], container: "main" });
    expect(result).toEqual({ exitCode: 3, stdout: "out put", stderr: "err" });
    expect(url).toBe(
      "/api/v1/namespaces/default/pods/web/exec?command=sh&command=-c&command=a%20b&container=main&stdin=false&stdout=true&stderr=true&tty=false",
    );
  });

  it("passes input and its end, and the sizes of the terminal", async () => {
    const received: string[] = [];
    const { client } = await world((socket) => {
      socket.on("message", (data: Buffer) => {
        received.push(`${data[0]} ${data[0] === 255 ? data[1] : data.subarray(1).toString()}`);
        if (received.length === 4) socket.send(message(3, success));
      });
    });
    async function* pieces(): AsyncGenerator<string | Uint8Array> {
      yield "one";
      yield Buffer.from("two");
    }
    async function* sizes(): AsyncGenerator<{ width: number; height: number }> {
      yield { width: 80, height: 24 };
    }
    await podExec(client, pod, { command: ["cat"], stdin: pieces(), tty: true, terminalSizes: sizes() });
    expect(received.sort()).toEqual(["0 one", "0 two", "255 0", '4 {"Width":80,"Height":24}']);
  });

  it("does not send an end of input that an older server would not understand", async () => {
    const received: number[] = [];
    const { client } = await world((socket) => {
      socket.on("message", (data: Buffer) => {
        received.push(data[0] ?? -1);
        socket.send(message(3, success));
      });
    }, "v4.channel.k8s.io");
    await podAttach(client, pod, { stdin: "hello" });
    expect(received).toEqual([0]);
  });

  it("hands output over as it comes, where asked", async () => {
    const { client } = await world((socket) => {
      socket.send(message(1, "a"));
      socket.send(message(1, "b"));
      socket.send(message(3, success));
    });
    const chunks: string[] = [];
    const onStdout = (chunk: Uint8Array): void => void chunks.push(Buffer.from(chunk).toString());
    expect(await podExec(client, pod, { command: ["x"], onStdout })).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: "",
    });
    expect(chunks).toEqual(["a", "b"]);
  });

  it("throws what the server says when the program cannot be run", async () => {
    const { client } = await world((socket) => {
      socket.send(
        message(3, { status: "Failure", reason: "InternalError", code: 500, message: "no such file" }),
      );
    });
    expect(await rejection(podExec(client, pod, { command: ["x"] }))).toMatchObject({
      reason: "InternalError",
      message: "no such file",
    });
  });

  it("throws the answer of a server that refuses the session", async () => {
    const refusing = await startServer(() => {});
    refusing.onUpgrade((_request, socket) => {
      const body = JSON.stringify({
        kind: "Status",
        status: "Failure",
        reason: "Forbidden",
        code: 403,
        message: "no",
      });
      socket.end(
        `HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    });
    opened.push(refusing);
    const transport = createHttpTransport({
      server: refusing.url,
      ca: refusing.authority.ca,
      namespace: "",
      origin: "test",
    });
    opened.push(transport);
    const refused = createClient({ transport });
    expect(isForbidden(await rejection(podExec(refused, pod, { command: ["x"] })))).toBe(true);
  });

  it.each<[what: string, end: (socket: WebSocket) => void]>([
    ["breaks", (socket) => socket.terminate()],
    ["ends without saying how the program ended", (socket) => socket.close(1000)],
  ])("throws ConnectionError when the connection %s", async (_what, end) => {
    const { client } = await world(end);
    expect(isConnectionError(await rejection(podExec(client, pod, { command: ["x"] })))).toBe(true);
  });

  it("case 2: leaves a session alone that says nothing for ten minutes", async () => {
    const clock = new VirtualClock();
    let socket: WebSocket | undefined;
    const { client } = await world((one) => void (socket = one), "v5.channel.k8s.io", clock);
    const running = podExec(client, pod, { command: ["sleep", "600"] });
    await until(() => socket !== undefined);
    await clock.advance(600_000);
    socket?.send(message(1, "done"));
    socket?.send(message(3, success));
    expect(await running).toMatchObject({ exitCode: 0, stdout: "done" });
  });

  it("ends when the signal is aborted, and when the transport is closed", async () => {
    const sockets: WebSocket[] = [];
    const { client, transport } = await world((socket) => void sockets.push(socket));
    const controller = new AbortController();
    const options: PodExecOptions = { command: ["sleep"], signal: controller.signal };
    const aborted = rejection(podExec(client, pod, options));
    await until(() => sockets.length === 1);
    controller.abort(new Error("enough"));
    expect((await aborted).message).toBe("enough");
    const closed = rejection(podExec(client, pod, { command: ["sleep"] }));
    await until(() => sockets.length === 2);
    await transport.close();
    expect(isConnectionError(await closed)).toBe(true);
    await until(
      () => sockets.every((socket) => socket.readyState === socket.CLOSED),
      "the end at the server",
    );
  });

  it("says when a transport has no such connections", async () => {
    const client = createClient({ transport: new RecordingTransport() });
    const error = await rejection(podExec(client, pod, { command: ["x"] }));
    expect(error).toMatchObject({ code: "BOWLINE_INVALID_CALL" });
  });
});

describe("portForward", () => {
  /** A pod that answers what it hears in upper case. */
  const shouting = (socket: WebSocket): void => {
    for (const channel of [0, 1]) socket.send(Buffer.of(channel, 0x90, 0x1f));
    socket.on("message", (data: Buffer) =>
      socket.send(message(0, data.subarray(1).toString().toUpperCase())),
    );
  };

  function talk(port: number, text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = net.connect(port, "127.0.0.1");
      socket.on("error", reject);
      let heard = "";
      socket.on("data", (chunk) => {
        heard += String(chunk);
        if (heard.length >= text.length) socket.end();
      });
      socket.on("close", () => resolve(heard));
      socket.write(text);
    });
  }

  it("carries bytes both ways, each connection by itself", async () => {
    let url = "";
    const { client } = await world((socket, request) => {
      url = request.url ?? "";
      shouting(socket);
    }, "v4.channel.k8s.io");
    await using forward = await portForward(client, pod, { port: 8080 });
    const texts = ["hello", "world", "x".repeat(200_000)];
    expect(await Promise.all(texts.map((text) => talk(forward.localPort, text)))).toEqual(
      texts.map((text) => text.toUpperCase()),
    );
    expect(url).toBe("/api/v1/namespaces/default/pods/web/portforward?ports=8080");
  });

  it("reports a connection that fails, and goes on with others", async () => {
    let count = 0;
    const { client } = await world((socket) => {
      if (count++ > 0) return shouting(socket);
      for (const channel of [0, 1]) socket.send(Buffer.of(channel, 0x90, 0x1f));
      socket.send(message(1, "nobody listens on 8080"));
    }, "v4.channel.k8s.io");
    const errors: string[] = [];
    await using forward = await portForward(client, pod, {
      port: 8080,
      onError: (error) => void errors.push(error.message),
    });
    expect(await talk(forward.localPort, "hello")).toBe("");
    expect(errors).toEqual(["nobody listens on 8080"]);
    expect(await talk(forward.localPort, "hello")).toBe("HELLO");
  });

  it("stops when closed or aborted", async () => {
    const { client } = await world(shouting, "v4.channel.k8s.io");
    const controller = new AbortController();
    const forward = await portForward(client, pod, { port: 8080, signal: controller.signal });
    controller.abort();
    await forward.close();
    await expect(talk(forward.localPort, "hello")).rejects.toThrow("ECONNREFUSED");
  });
});
