/** How a session tells its end. Source: kubernetes pkg/kubelet/server/remotecommand (exec.go). */
import { type Status, internalError, isStatusError } from "@bowline/api";

const utf8 = new TextEncoder();

/** Runs a program and puts its end into words: a Status as JSON. Never rejects. */
export async function endStatus(program: () => Promise<number>): Promise<Uint8Array> {
  return utf8.encode(JSON.stringify(await outcome(program)));
}

async function outcome(program: () => Promise<number>): Promise<Partial<Status>> {
  try {
    const code = await program();
    if (code === 0) return { metadata: {}, status: "Success" };
    return {
      metadata: {},
      status: "Failure",
      message: `command terminated with non-zero exit code: command terminated with exit code ${code}`,
      reason: "NonZeroExitCode",
      details: { causes: [{ reason: "ExitCode", message: String(code) }] },
    };
  } catch (error) {
    if (isStatusError(error)) return error.status;
    const why = error instanceof Error ? error.message : String(error);
    return internalError(`error executing command in container: ${why}`).status;
  }
}
