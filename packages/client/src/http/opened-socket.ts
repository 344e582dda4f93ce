import type net from "node:net";

/** Resolves at `event`, and destroys the socket when it fails or the signal is aborted first. */
export function opened<S extends net.Socket>(socket: S, event: string, signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      signal.removeEventListener("abort", onAbort);
      socket.off(event, onOpen).off("error", onError).off("close", onClose);
    };
    const onOpen = (): void => {
      settle();
      resolve(socket);
    };
    const onError = (error: Error): void => {
      settle();
      socket.destroy();
      reject(error);
    };
    const onClose = (): void => onError(new Error("the other side closed the connection"));
    const onAbort = (): void => onError(signal.reason as Error);
    socket.on(event, onOpen).on("error", onError).on("close", onClose);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort);
  });
}
