import { type Status, StatusError } from "@bowline/api";
import type { Client } from "../client.ts";
import { ConnectionError, InvalidCallError } from "../errors.ts";
import type { KeyLike } from "../kind-like.ts";
import type { MessageSocket } from "../ports/transport.ts";
import type { CallOptions } from "../verb-options.ts";
import { podPath } from "./pod-resource.ts";

export interface PodAttachOptions extends CallOptions {
  /** May be left out when the pod has one container. */
  readonly container?: string | undefined;
  /** What the program reads: a text, or pieces as they come. Its end is passed on (servers from 1.29). */
  readonly stdin?: string | AsyncIterable<Uint8Array | string> | undefined;
  /** Called with what the program writes. Absent: it is collected into the result. */
  readonly onStdout?: ((chunk: Uint8Array) => void) | undefined;
  readonly onStderr?: ((chunk: Uint8Array) => void) | undefined;
  /** The program gets a terminal; its errors then come as output. */
  readonly tty?: boolean | undefined;
  /** Sizes of the terminal as they change. */
  readonly terminalSizes?: AsyncIterable<{ readonly width: number; readonly height: number }> | undefined;
}

export interface PodExecOptions extends PodAttachOptions {
  /** Program and arguments; no shell is in between. */
  readonly command: readonly string[];
}

/** How a program ended, and what it wrote as far as no callback took it. */
export interface PodExecResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a program in a container and waits for its end: `await podExec(client, pod, { command: ["ls", "/"] })`.
 * @throws StatusError when it could not be run; ConnectionError when the connection broke; the signal's reason
 */
export async function podExec(client: Client, pod: KeyLike, options: PodExecOptions): Promise<PodExecResult> {
  return session(client, podPath(client, pod, "exec"), options, options.command);
}

/** Joins the main program of a container until it ends. Throws like `podExec`. */
export async function podAttach(
  client: Client,
  pod: KeyLike,
  options: PodAttachOptions = {},
): Promise<PodExecResult> {
  return session(client, podPath(client, pod, "attach"), options, []);
}

/** The first byte of a message says what it belongs to. Source: apimachinery util/remotecommand. */
const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** v5 differs from v4 by passing on the end of the input. */
const protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"];

/** Input is sent in pieces of at most this size, so that one message never holds up the others. */
const pieceBytes = 32_768;

async function session(
  client: Client,
  path: string,
  options: PodAttachOptions,
  command: readonly string[],
): Promise<PodExecResult> {
  const { signal, stdin, tty = false, container } = options;
  const query = {
    command,
    container,
    stdin: String(stdin !== undefined),
    stdout: "true",
    stderr: String(!tty),
    tty: String(tty),
  };
  const socket = await openPodSocket(client, path, query, protocols, signal);
  try {
    const failed = new AbortController();
    const feeding = feed(socket, options, failed.signal).catch(() => socket.close());
    const result = await read(socket, options);
    failed.abort();
    void feeding;
    return result;
  } finally {
    socket.close();
  }
}

/** Opens a WebSocket to a pod. @throws InvalidCallError when the transport has no such connections */
export function openPodSocket(
  client: Client,
  path: string,
  query: Readonly<Record<string, string | readonly string[] | undefined>>,
  offered: readonly string[],
  signal: AbortSignal | undefined,
): Promise<MessageSocket> {
  const { transport } = client;
  if (transport.openSocket === undefined) {
    throw new InvalidCallError(`${path}: the client's transport has no connections for this`);
  }
  const headers = { "sec-websocket-protocol": offered };
  return transport.openSocket({ method: "GET", path, query, headers, ...(signal && { signal }) });
}

async function read(socket: MessageSocket, options: PodAttachOptions): Promise<PodExecResult> {
  const stdout: Uint8Array[] = [];
  const stderr: Uint8Array[] = [];
  const { onStdout = (chunk: Uint8Array) => void stdout.push(chunk) } = options;
  const { onStderr = (chunk: Uint8Array) => void stderr.push(chunk) } = options;
  for await (const message of socket) {
    const content = message.subarray(1);
    // The channels are announced by empty messages first.
    if (content.length === 0) continue;
    if (message[0] === channel.stdout) onStdout(content);
    else if (message[0] === channel.stderr) onStderr(content);
    else if (message[0] === channel.error) {
      return { exitCode: exitCodeOf(content), stdout: textOf(stdout), stderr: textOf(stderr) };
    }
  }
  throw new ConnectionError("the session in the container ended without saying how the program ended");
}

function exitCodeOf(content: Uint8Array): number {
  const status = JSON.parse(Buffer.from(content).toString("utf8")) as Status;
  if (status.status === "Success") return 0;
  const cause = status.details?.causes?.find((one) => one.reason === "ExitCode");
  if (status.reason === "NonZeroExitCode" && cause?.message !== undefined) return Number(cause.message);
  throw new StatusError(status);
}

async function feed(socket: MessageSocket, options: PodAttachOptions, ended: AbortSignal): Promise<void> {
  await Promise.all([feedInput(socket, options, ended), feedSizes(socket, options, ended)]);
}

async function feedInput(
  socket: MessageSocket,
  { stdin }: PodAttachOptions,
  ended: AbortSignal,
): Promise<void> {
  if (stdin === undefined) return;
  for await (const piece of typeof stdin === "string" ? [stdin] : stdin) {
    const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      if (ended.aborted) return;
      await socket.send(framed(channel.stdin, bytes.subarray(start, start + pieceBytes)));
    }
  }
  if (socket.protocol === protocols[0] && !ended.aborted) {
    await socket.send(Uint8Array.of(channel.close, channel.stdin));
  }
}

async function feedSizes(
  socket: MessageSocket,
  { terminalSizes }: PodAttachOptions,
  ended: AbortSignal,
): Promise<void> {
  for await (const { width, height } of terminalSizes ?? []) {
    if (ended.aborted) return;
    await socket.send(framed(channel.resize, Buffer.from(JSON.stringify({ Width: width, Height: height }))));
  }
}

function framed(number: number, content: Uint8Array): Uint8Array {
  const message = new Uint8Array(content.length + 1);
  message[0] = number;
  message.set(content, 1);
  return message;
}

function textOf(chunks: readonly Uint8Array[]): string {
  return Buffer.concat(chunks).toString("utf8");
}
