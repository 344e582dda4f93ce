#!/usr/bin/env node
import { main } from "./main.ts";

/** What a shell shows for a program that a closed pipe has ended (128 + SIGPIPE). */
const closedPipe = 141;

// a reader that has seen enough (`bowline dev | head`) ends the command, as it would end kubectl
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(closedPipe);
  });
}
process.exitCode = await main(process.argv.slice(2));
