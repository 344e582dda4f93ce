/** A shell that is typed to: what `kubectl exec -it` and `kubectl run -it` are mostly for. */
import type { ContainerProcess } from "./image-behavior.ts";
import { runShell } from "./simulated-shell.ts";

/**
 * Runs each line that comes, until `exit`, Ctrl-D or the end of the input. With a terminal it shows a prompt and what is
 * typed. Answers the exit code.
 */
export async function interactiveShell(process: ContainerProcess, signal: AbortSignal): Promise<number> {
  const decoder = new TextDecoder();
  const write = (text: string | Uint8Array): void => process.write(text);
  const writeError = (text: string | Uint8Array): void => process.writeError(text);
  const prompt = (): void => (process.tty ? write("$ ") : undefined);
  let typed = "";
  let code = 0;
  prompt();
  for await (const bytes of process.stdin) {
    if (signal.aborted) break;
    const text = decoder.decode(bytes, { stream: true });
    if (process.tty) write(text.replaceAll("\r", "\n"));
    const lines = `${typed}${text}`.split(/\r\n|\r|\n/);
    typed = lines.pop() ?? "";
    for (const line of lines) {
      const [word = "", argument] = line.trim().split(/\s+/);
      if (word === "exit") return argument === undefined ? code : Number(argument) || 0;
      code = await runShell(["sh", "-c", line], { process, write, writeError });
      prompt();
    }
    if (typed.includes("\u0004")) break;
  }
  return code;
}
