import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { baseOfDockerfile, basesOfDockerfile } from "./dockerfile.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "bowline-dockerfile-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const text = `ARG VERSION=22
FROM --platform=$BUILDPLATFORM node:22 AS Build
RUN echo FROM nowhere
from build as tested
FROM scratch
FROM 127.0.0.1:5000/node:22
COPY --from=build /app /app
`;

describe("Dockerfile", () => {
  it("runs on the base of its last stage, and needs the bases of all, but not its own stages", () => {
    writeFileSync(path.join(folder, "Dockerfile"), text);
    expect(baseOfDockerfile(folder)).toBe("127.0.0.1:5000/node:22");
    expect(basesOfDockerfile(folder)).toEqual(["node:22", "127.0.0.1:5000/node:22"]);
  });

  it("may be missing", () => {
    expect(baseOfDockerfile(folder)).toBe(undefined);
    expect(basesOfDockerfile(folder)).toEqual([]);
  });
});
