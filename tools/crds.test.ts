import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { main } from "./crds.ts";

const directory = fileURLToPath(new URL("../conformance/crds", import.meta.url));

async function run(...args: string[]): Promise<{ status: number; lines: string[] }> {
  const out: string[] = [];
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    out.push(String(text));
    return true;
  });
  try {
    const status = await main(args);
    return { status, lines: out.join("").trim().split("\n") };
  } finally {
    write.mockRestore();
  }
}

describe("crds", () => {
  it("creates the CRDs of a folder and has kubectl explain them", async () => {
    const { status, lines } = await run("--dir", join(directory, "rabbitmq"));
    expect(lines.at(-1)).toBe("2 passed, 0 failed");
    expect(status).toBe(0);
  });

  it("reports a CRD that is refused and what is published otherwise than recorded", async () => {
    const folder = mkdtempSync(join(tmpdir(), "crds-test-"));
    try {
      const bad = {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: "bad" },
      };
      const spec = {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "bads", kind: "Bad" },
        versions: [],
      };
      writeFileSync(join(folder, "bad.json"), JSON.stringify({ ...bad, spec }));
      writeFileSync(
        join(folder, "openapi-v3.json"),
        JSON.stringify({ "apis/example.com/v1": { paths: {}, schemas: {} } }),
      );
      const { status, lines } = await run("--dir", folder);
      expect(lines.filter((line) => line.startsWith("FAIL"))).toEqual([
        "FAIL create bad.json",
        "FAIL OpenAPI v3 of apis/example.com/v1",
        "FAIL kubectl explain bads.example.com --recursive",
      ]);
      expect(lines.at(-1)).toBe("0 passed, 3 failed");
      expect(status).toBe(1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
