import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { VirtualClock } from "@bowline/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sourceChanges } from "./source-changes.ts";

describe("sourceChanges", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "bowline-test-"));
    write(1);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function write(second: number): void {
    const file = path.join(folder, "a.ts");
    writeFileSync(file, "");
    utimesSync(file, second, second);
  }

  it("waits until writing has ended, and tells of each change once", async () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    let changes = 0;
    const ended = (async () => {
      for await (const _ of sourceChanges(folder, clock, stop.signal)) changes++;
    })();
    await clock.advance(1000);
    expect(changes).toBe(0);
    for (const second of [2, 3, 4]) {
      write(second);
      await clock.advance(300);
      expect(changes).toBe(0);
    }
    await clock.advance(300);
    expect(changes).toBe(1);
    await clock.advance(3000);
    expect(changes).toBe(1);
    stop.abort();
    await ended;
  });

  it("ends at once for a project without sources", async () => {
    const changes = sourceChanges(
      path.join(folder, "none"),
      new VirtualClock(),
      new AbortController().signal,
    );
    expect(await changes.next()).toEqual({ done: true, value: undefined });
  });
});
