/**
 * `pods/portforward`: connections to ports of a pod, over SPDY (also inside of a WebSocket, as kubectl has it since 1.31)
 * or over the channels of a WebSocket. Source: kubernetes pkg/kubelet/server (portforward).
 */
import type { MessageSocket } from "@bowline/client";
import { badRequest } from "@bowline/api";
import type { ServerResponse } from "../request.ts";
import type { VerbContext } from "../verb-context.ts";
import { notSupported } from "../verbs/update.ts";
import { ChannelSocket } from "./channel-socket.ts";
import { admittedOptions, agreedProtocol, askedUpgrade } from "./connect.ts";
import type { PodSessionPort, SessionPod } from "../../session-port.ts";
import { hostOf, identityOf, reachedSessions, sessionPod } from "./session-target.ts";
import { SpdyConnection, type SpdyStream } from "./spdy-connection.ts";

const overSpdy = "portforward.k8s.io";
const tunnelled = `SPDY/3.1+${overSpdy}`;
const overChannels = "v4.channel.k8s.io";

const utf8 = new TextEncoder();

interface Forwarding {
  readonly sessions: PodSessionPort;
  readonly pod: SessionPod;
}

/** @throws StatusError 400, 403, 404 and what admission says */
export async function forwardPorts(context: VerbContext): Promise<ServerResponse> {
  const { info, request } = context;
  if (info.verb !== "get" && info.verb !== "create") throw notSupported(context, info.verb);
  const options = await admittedOptions(context, forwardOptions(request.query));
  const pod = sessionPod(context);
  const host = hostOf(context, pod);
  const upgrade = askedUpgrade(request);
  const sessions = reachedSessions(context, { pod, host, doing: "error dialing backend" });
  const forwarding = { sessions, pod: identityOf(pod) };
  const throughSpdy = (socket: MessageSocket): Promise<void> => serveSpdy(socket, forwarding);
  if (upgrade.kind === "spdy") {
    const protocol = agreedProtocol(upgrade, [overSpdy]);
    return { kind: "spdy", status: 101, headers: {}, protocol, serve: throughSpdy };
  }
  const protocol = agreedProtocol(upgrade, [tunnelled, overChannels]);
  const { ports = [] } = options;
  if (protocol === overChannels && ports.length === 0) throw badRequest('query parameter "port" is required');
  const serve =
    protocol === tunnelled
      ? throughSpdy
      : (socket: MessageSocket) => serveChannels(socket, forwarding, ports);
  return { kind: "socket", status: 101, headers: {}, protocol, serve };
}

interface ForwardOptions {
  readonly apiVersion: "v1";
  readonly kind: "PodPortForwardOptions";
  readonly ports?: readonly number[];
}

/** @throws StatusError 400 for what is no port */
function forwardOptions(query: URLSearchParams): ForwardOptions {
  const ports = query.getAll("ports").flatMap((text) => text.split(","));
  for (const text of ports) {
    if (portNumber(text) === undefined)
      throw badRequest(`unable to parse ${JSON.stringify(text)} as a port: a number from 1 to 65535`);
  }
  return {
    kind: "PodPortForwardOptions",
    apiVersion: "v1",
    ...(ports.length === 0 ? {} : { ports: ports.map(Number) }),
  };
}

function portNumber(text: string): number | undefined {
  const port = Number(text);
  return /^\d+$/.test(text) && port >= 1 && port <= 65_535 ? port : undefined;
}

/** Two channels for each port: its bytes, and what goes wrong. The first message of each names the port. */
async function serveChannels(
  socket: MessageSocket,
  forwarding: Forwarding,
  ports: readonly number[],
): Promise<void> {
  const channels = new ChannelSocket(
    socket,
    ports.map((_port, index) => 2 * index),
  );
  await Promise.all(
    ports.map(async (port, index) => {
      const [data, errors] = [2 * index, 2 * index + 1];
      const named = Uint8Array.of(port & 0xff, port >> 8);
      await channels.send(data, named);
      await channels.send(errors, named);
      const problem = await forwarded(forwarding, port, {
        incoming: channels.incoming(data),
        send: (bytes) => channels.send(data, bytes),
        signal: channels.signal,
      });
      if (problem !== undefined) await channels.send(errors, problem);
    }),
  );
}

/** Two streams for each connection, found together by the request's number in their headers. */
async function serveSpdy(socket: MessageSocket, forwarding: Forwarding): Promise<void> {
  const connection = new SpdyConnection(socket);
  const errorStreams = new Map<string, SpdyStream>();
  await connection.serve((stream) => {
    const { streamtype: type, port = "", requestid: request = "" } = stream.headers;
    if (type === "error") return void errorStreams.set(request, stream);
    const errors = errorStreams.get(request);
    errorStreams.delete(request);
    const number = portNumber(port);
    if (type !== "data" || errors === undefined || number === undefined) return stream.reset();
    void serveStreams(forwarding, number, { data: stream, errors });
  });
}

async function serveStreams(
  forwarding: Forwarding,
  port: number,
  { data, errors }: { readonly data: SpdyStream; readonly errors: SpdyStream },
): Promise<void> {
  const { incoming, signal } = data;
  const problem = await forwarded(forwarding, port, { incoming, signal, send: (bytes) => data.send(bytes) });
  try {
    if (problem !== undefined) await errors.send(problem);
    await errors.end();
    await data.end();
  } catch {
    // the client has gone meanwhile
  }
}

/** Serves one connection. Answers what went wrong, if anything did. */
async function forwarded(
  { sessions, pod }: Forwarding,
  port: number,
  streams: Parameters<PodSessionPort["forward"]>[2],
): Promise<Uint8Array | undefined> {
  try {
    await sessions.forward(pod, port, streams);
    return undefined;
  } catch (error) {
    if (streams.signal.aborted) return undefined;
    const why = error instanceof Error ? error.message : String(error);
    return utf8.encode(`error forwarding port ${port} to pod ${pod.uid}, uid : ${why}`);
  }
}
