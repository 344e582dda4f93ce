/** The example dashboard asks for what a manager really serves. */
import { readFileSync } from "node:fs";
import { get } from "node:http";
import { text } from "node:stream/consumers";
import { defineKind } from "@bowline/api";
import { createManager, defineController, defineWebhook, silentLogger } from "@bowline/runtime";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { startCluster, waitFor } from "../src/index.ts";

const Site = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: z.object({}),
  status: z.object({ seen: z.boolean().optional() }),
});

interface Family {
  readonly type: string;
  readonly samples: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly value: number;
  }[];
}

/** Prometheus' text format. Throws for a line that is none of it. */
function parse(exposition: string): Map<string, Family> {
  const families = new Map<string, Family>();
  let current: Family | undefined;
  for (const line of exposition.split("\n")) {
    if (line === "" || line.startsWith("# HELP ")) continue;
    const [, name = "", type = ""] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (name !== "") {
      families.set(name, (current = { type, samples: [] }));
      continue;
    }
    const sample = /^([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? (\S+)$/i.exec(line);
    if (sample === null || current === undefined) throw new Error(`not a sample: ${line}`);
    const labels = [...(sample[2] ?? "").matchAll(/([a-z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/gi)];
    expect(labels.map(([all]) => all).join(""), line).toBe(sample[2] ?? "");
    current.samples.push({
      name: sample[1] as string,
      labels: Object.fromEntries(labels.map(([, label, value]) => [label, value])) as Record<string, string>,
      value: Number(sample[3]),
    });
  }
  return families;
}

const scrape = async (port: number | undefined): Promise<string> =>
  text(
    await new Promise<NodeJS.ReadableStream>((resolve) => get(`http://127.0.0.1:${port}/metrics`, resolve)),
  );

/** What Prometheus adds to everything that it scrapes. */
const added = ["namespace", "pod"];

/** The metrics of a query with the labels that it selects or groups by. */
function asked(query: string): { metric: string; labels: string[] }[] {
  const grouped = [...query.matchAll(/by \(([^)]*)\)/g)].flatMap(([, names = ""]) => names.split(", "));
  return [...query.matchAll(/([a-z_:][a-z0-9_:]*)\{([^}]*)\}/g)].map(([, metric = "", selectors = ""]) => ({
    metric,
    labels: [...selectors.matchAll(/(\w+)[=!]/g)].map(([, label = ""]) => label).concat(grouped),
  }));
}

describe("The metrics of a manager", () => {
  it("can be parsed, and have everything that the example dashboard asks for", async () => {
    await using test = await startCluster({ kinds: [Site], controllers: false });
    const manager = createManager({
      transport: test.cluster.transport(),
      logger: silentLogger,
      controllers: [
        defineController(Site, { reconcile: async (_, ctx) => void (await ctx.patchStatus({ seen: true })) }),
      ],
      webhooks: [defineWebhook(Site, { validateCreate() {} })],
      webhookServer: { address: "127.0.0.1:0" },
      leaderElection: { id: "sites", namespace: "default" },
      metricsAddress: "127.0.0.1:0",
      requestDurations: true,
    });
    await manager.start();
    await manager.elected;
    const { metadata } = await test.client.create(Site, {
      metadata: { name: "a", namespace: "default" },
      spec: {},
    });
    await waitFor(test.client, Site, "default/a", { until: (site) => site?.status?.seen === true });
    const families = parse(await scrape(manager.ports.metrics));
    await manager.stop();
    expect(metadata.name).toBe("a");

    for (const [name, { type, samples }] of families) {
      const names = type === "histogram" ? ["_bucket", "_sum", "_count"].map((end) => name + end) : [name];
      for (const sample of samples) {
        expect(names).toContain(sample.name);
        expect(sample.value, sample.name).not.toBeNaN();
      }
    }
    const durations = families.get("rest_client_request_duration_seconds")?.samples ?? [];
    expect(durations.some(({ labels }) => labels["verb"] === "PATCH" && labels["le"] === "+Inf")).toBe(true);

    const labelsOf = new Map<string, Set<string>>();
    for (const { name, labels } of [...families.values()].flatMap((family) => family.samples)) {
      labelsOf.set(name, new Set([...(labelsOf.get(name) ?? added), ...Object.keys(labels)]));
    }
    const dashboard = readFileSync("docs/reference/grafana-dashboard.json", "utf8");
    const queries = [...dashboard.matchAll(/"(?:expr|query)": "((?:[^"\\]|\\.)*)"/g)]
      .map(([, query]) => JSON.parse(`"${query}"`) as string)
      .filter((query) => query !== "prometheus");
    expect(queries.length).toBeGreaterThan(30);
    for (const query of queries) {
      const metrics = asked(query);
      expect(metrics, query).toHaveLength(1);
      for (const { metric, labels } of metrics) {
        expect(labelsOf.has(metric), `${metric} of ${query}`).toBe(true);
        for (const label of labels) expect([...(labelsOf.get(metric) ?? [])], query).toContain(label);
      }
    }
  });
});
