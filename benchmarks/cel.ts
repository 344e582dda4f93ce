/** CEL rules: how long compiling and running them takes. */
import { type JsonSchema, compileExpression, compileSchemaRules } from "@bowline/api";
import type { Benchmark, Report } from "./report.ts";

/** Best of 25 rounds, microseconds a call: what else the machine does only makes a round slower. */
function bestOf(work: () => void, calls = 2000): number {
  for (let i = 0; i < 2 * calls; i++) work();
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 25; round++) {
    const start = performance.now();
    for (let i = 0; i < calls; i++) work();
    best = Math.min(best, ((performance.now() - start) * 1000) / calls);
  }
  return best;
}

const sizes: JsonSchema = {
  type: "array",
  items: { type: "object", properties: { size: { type: "integer" } } },
};

const text: JsonSchema = { type: "string", maxLength: 63 };
const named = (field: string, schema: JsonSchema): JsonSchema => ({
  type: "array",
  maxItems: 20,
  items: { type: "object", properties: { name: text, [field]: schema } },
});

const rules = [
  "self.min <= self.replicas",
  "self.replicas <= self.max",
  "self.name.matches('^[a-z][a-z0-9-]*$')",
  "self.image.contains(':')",
  "self.ports.all(p, p.port > 0 && p.port < 65536)",
  "self.ports.exists(p, p.name == 'http')",
  "self.labels.all(k, k.size() < 64)",
  "!has(self.env) || self.env.all(e, e.name != '')",
  "size(self.ports) > 0 && size(self.ports) < 20",
  "self.name in ['web', 'api', 'frontend-server']",
];

const spec: JsonSchema = {
  type: "object",
  properties: {
    replicas: { type: "integer" },
    min: { type: "integer" },
    max: { type: "integer" },
    name: text,
    image: { type: "string", maxLength: 200 },
    labels: { type: "object", additionalProperties: text },
    ports: named("port", { type: "integer" }),
    env: named("value", { type: "string" }),
  },
  "x-kubernetes-validations": rules.map((rule) => ({ rule })),
};

/** About 1 KiB of JSON that fulfils the rules. */
const object = {
  apiVersion: "example.com/v1",
  kind: "Web",
  metadata: { name: "web" },
  spec: {
    replicas: 3,
    min: 1,
    max: 5,
    name: "frontend-server",
    image: "registry.example.com/team/app:1.2.3",
    labels: { app: "web", tier: "front", env: "prod", team: "a" },
    ports: ["admin", "metrics", "grpc", "http"].map((name, i) => ({ name, port: 8000 + i })),
    env: Array.from({ length: 10 }, (_, i) => ({
      name: `VARIABLE_${i}`,
      value: `a value that is fairly long ${i}`,
    })),
  },
};

function evaluation(report: Report): void {
  const { expression } = compileExpression("self.all(x, x.size < 10)", { variables: { self: sizes } });
  if (expression === undefined) throw new Error("the expression must compile");
  for (const count of [1, 3, 10]) {
    const values = { self: Array.from({ length: count }, (_, size) => ({ size })) };
    const time = bestOf(() => expression.evaluate(values));
    report.figure(`self.all(x, x.size < 10) on ${count} element${count === 1 ? "" : "s"}`, time, "us");
  }
}

function validation(report: Report): void {
  const compiled = compileSchemaRules({ type: "object", properties: { spec } });
  const { errors } = compiled?.validate(object) ?? { errors: ["no rules"] };
  if (compiled === undefined || errors.length > 0) throw new Error("the object must fulfil the rules");
  report.figure(
    `an object of ${JSON.stringify(object).length} bytes with 10 rules`,
    bestOf(() => compiled.validate(object)),
    "us",
  );
}

function compilation(report: Report): void {
  const options = { variables: { self: sizes } };
  report.figure(
    "compiling self.all(x, x.size < 10)",
    bestOf(() => compileExpression("self.all(x, x.size < 10)", options), 500),
    "us",
  );
  const schema: JsonSchema = { type: "object", properties: { spec } };
  report.figure(
    "compiling a schema with 10 rules",
    bestOf(() => compileSchemaRules(schema), 100),
    "us",
  );
}

export const cel: Benchmark = {
  name: "cel",
  method: "one thread, best of 25 rounds of many calls after a warm-up",
  async run(report) {
    evaluation(report);
    validation(report);
    compilation(report);
  },
};
