/**
 * `pods/exec` and `pods/attach`: a program's input and output over a WebSocket (v4 and v5.channel.k8s.io) or over SPDY.
 * Source: kubernetes pkg/kubelet/server (remotecommand), apimachinery pkg/util/remotecommand.
 */
import type { MessageSocket } from "@bowline/client";
import { ByteQueue } from "../../byte-queue.ts";
import { isTrue } from "../request-info.ts";
import type { ServerResponse } from "../request.ts";
import type { VerbContext } from "../verb-context.ts";
import { notSupported } from "../verbs/update.ts";
import { ChannelSocket } from "./channel-socket.ts";
import { admittedOptions, agreedProtocol, askedUpgrade } from "./connect.ts";
import { endStatus } from "./end-status.ts";
import type { PodSessionPort, SessionStreams, SessionTarget } from "../../session-port.ts";
import { chosenContainer, hostOf, identityOf, reachedSessions, sessionPod } from "./session-target.ts";
import { SpdyConnection, type SpdyStream } from "./spdy-connection.ts";
import { terminalSizes } from "./terminal-sizes.ts";

/** Source: k8s.io/api/core/v1 PodExecOptions, PodAttachOptions. */
interface SessionOptions {
  readonly apiVersion: "v1";
  readonly kind: "PodExecOptions" | "PodAttachOptions";
  readonly stdin?: boolean;
  readonly stdout?: boolean;
  readonly stderr?: boolean;
  readonly tty?: boolean;
  readonly container?: string;
  readonly command?: readonly string[];
}

type Program = (streams: SessionStreams) => Promise<number>;

const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;
const socketProtocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
const spdyProtocols = ["v4.channel.k8s.io"];

/** @throws StatusError 400, 403, 404 and what admission says */
export function execInPod(context: VerbContext): Promise<ServerResponse> {
  return openSession(context, "PodExecOptions");
}

/** @throws StatusError 400, 403, 404 and what admission says */
export function attachToPod(context: VerbContext): Promise<ServerResponse> {
  return openSession(context, "PodAttachOptions");
}

async function openSession(context: VerbContext, kind: SessionOptions["kind"]): Promise<ServerResponse> {
  const { info, request } = context;
  if (info.verb !== "get" && info.verb !== "create") throw notSupported(context, info.verb);
  const options = await admittedOptions(context, sessionOptions(request.query, kind));
  const pod = sessionPod(context);
  const container = chosenContainer(pod, options.container ?? "");
  const host = hostOf(context, pod);
  const upgrade = askedUpgrade(request);
  const sessions = reachedSessions(context, { pod, host, doing: "error dialing backend" });
  const target = { ...identityOf(pod), container };
  if (!sessions.isRunning(target)) return notRunning(container);
  const program = programOf(sessions, target, options);
  if (upgrade.kind === "spdy") {
    const protocol = agreedProtocol(upgrade, spdyProtocols);
    const serve = (socket: MessageSocket): Promise<void> => serveSpdy(socket, options, program);
    return { kind: "spdy", status: 101, headers: {}, protocol, serve };
  }
  const protocol = agreedProtocol(upgrade, socketProtocols);
  const serve = (socket: MessageSocket): Promise<void> => serveSocket(socket, options, program);
  return { kind: "socket", status: 101, headers: {}, protocol, serve };
}

function sessionOptions(query: URLSearchParams, kind: SessionOptions["kind"]): SessionOptions {
  const flags = ["stdin", "stdout", "stderr", "tty"].filter((name) => isTrue(query.get(name)));
  const container = query.get("container") ?? "";
  return {
    kind,
    apiVersion: "v1",
    ...Object.fromEntries(flags.map((name) => [name, true])),
    ...(container === "" ? {} : { container }),
    ...(kind === "PodExecOptions" ? { command: query.getAll("command") } : {}),
  };
}

function programOf(sessions: PodSessionPort, target: SessionTarget, options: SessionOptions): Program {
  return options.kind === "PodExecOptions"
    ? (streams) => sessions.exec(target, options.command ?? [], streams)
    : (streams) => sessions.attach(target, streams);
}

/** In a kubelet's words, which is no Status. */
function notRunning(container: string): ServerResponse {
  const headers = { "content-type": "text/plain; charset=utf-8" };
  return { kind: "raw", status: 500, headers, data: `container not found (${JSON.stringify(container)})` };
}

async function serveSocket(socket: MessageSocket, options: SessionOptions, program: Program): Promise<void> {
  const { stdin = false, stdout = false, stderr = false, tty = false } = options;
  const inputs = [...(stdin ? [channel.stdin] : []), ...(tty ? [channel.resize] : [])];
  const channels = new ChannelSocket(socket, inputs);
  const sends = (isAsked: boolean, number: number) => (bytes: Uint8Array) =>
    isAsked ? channels.send(number, bytes) : Promise.resolve();
  const first = stdout ? channel.stdout : stderr && !tty ? channel.stderr : channel.error;
  // tells the client that the session is open
  await channels.send(first, new Uint8Array());
  const status = await endStatus(() =>
    program({
      tty,
      stdin: stdin ? channels.incoming(channel.stdin) : noInput,
      sizes: terminalSizes(tty ? channels.incoming(channel.resize) : noInput),
      stdout: sends(stdout, channel.stdout),
      stderr: sends(stderr, channel.stderr),
      signal: channels.signal,
    }),
  );
  await channels.send(channel.error, status);
}

async function serveSpdy(socket: MessageSocket, options: SessionOptions, program: Program): Promise<void> {
  const connection = new SpdyConnection(socket);
  const streams = new Map<string, SpdyStream>();
  // clients open its stream last, and not all of them do
  const resizes = new ByteQueue();
  const { stdin = false, stdout = false, stderr = false, tty = false } = options;
  const wanted = [
    "error",
    ...(stdin ? ["stdin"] : []),
    ...(stdout ? ["stdout"] : []),
    ...(stderr && !tty ? ["stderr"] : []),
  ];
  const ready = new Promise<boolean>((resolve) => {
    const served = connection.serve((stream) => {
      const type = stream.headers["streamtype"] ?? "";
      streams.set(type, stream);
      if (type === "resize" && tty) void pour(stream.incoming, resizes);
      if (wanted.every((type) => streams.has(type))) resolve(true);
    });
    void served.finally(() => {
      resizes.end();
      resolve(false);
    });
  });
  if (!(await ready)) return;
  const sends = (type: string) => async (bytes: Uint8Array) => streams.get(type)?.send(bytes);
  const status = await endStatus(() =>
    program({
      tty,
      stdin: streams.get("stdin")?.incoming ?? noInput,
      sizes: terminalSizes(tty ? resizes : noInput),
      stdout: sends("stdout"),
      stderr: sends("stderr"),
      signal: connection.signal,
    }),
  );
  await streams.get("error")?.send(status);
  for (const stream of streams.values()) await stream.end();
}

async function pour(from: AsyncIterable<Uint8Array>, into: ByteQueue): Promise<void> {
  for await (const bytes of from) await into.push(bytes);
  into.end();
}

const noInput: AsyncIterable<Uint8Array> = {
  // biome-ignore format: one line
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {},
};
