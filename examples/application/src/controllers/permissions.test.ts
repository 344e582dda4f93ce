import { Deployment } from "@bowline/api/apps/v1";
import { type Logger, type Permission, operatorPermissions } from "@bowline/runtime";
import { startCluster, waitFor } from "@bowline/testing";
import { describe, expect, it } from "vitest";
import { Application } from "../api/v1/application.ts";
import operator from "../operator.ts";

const declared = operatorPermissions(operator);

/** The declared permissions without the rules that are about one resource. */
const without = (group: string, resource: string): Permission[] =>
  declared.filter(
    (rule) => !((rule.apiGroups ?? []).includes(group) && (rule.resources ?? []).includes(resource)),
  );

/** Keeps the texts of errors in warnings and errors. */
function errorLog(errors: string[]): Logger {
  const note = (fields: object): void => {
    if ("err" in fields) errors.push(String(fields.err));
  };
  const log: Logger = {
    debug() {},
    info() {},
    warn: note,
    error: note,
    child: () => log,
  };
  return log;
}

async function runWith(permissions: readonly Permission[] | "declared") {
  const test = await startCluster();
  const errors: string[] = [];
  await test.run(operator, { permissions, logger: errorLog(errors) });
  await test.client.create(Application, {
    metadata: { name: "web", namespace: "default" },
    spec: { image: "nginx", version: "1.25", replicas: 2 },
  });
  const condition = (status: "True" | "False", reason: string) =>
    waitFor(test.client, Application, "default/web", {
      until: (app) =>
        app?.status?.conditions?.some(
          (c) => c.type === "Available" && c.status === status && c.reason === reason,
        ) === true,
      what: `be Available=${status} for the reason ${reason}`,
    });
  return { test, errors, condition };
}

describe("the role that is generated for the Application operator", () => {
  it("is all that it needs", async () => {
    const { test, errors, condition } = await runWith("declared");
    await condition("True", "AllReplicasReady");
    expect(errors).toEqual([]);
    await test.close();
  });

  it("is all needed: without the rule for Deployments, the 403 is in the log and in a condition", async () => {
    const readOnly: Permission = {
      apiGroups: ["apps"],
      resources: ["deployments"],
      verbs: ["get", "list", "watch"],
    };
    const { test, errors, condition } = await runWith([...without("apps", "deployments"), readOnly]);
    const refused =
      'deployments.apps "web" is forbidden: User "system:serviceaccount:default:application-operator" cannot patch resource "deployments" in API group "apps" in the namespace "default"';
    await condition("False", "Forbidden");
    const app = await test.client.get(Application, { name: "web", namespace: "default" });
    expect(app.status?.conditions?.[0]?.message).toBe(refused);
    expect(errors.some((error) => error.includes(refused))).toBe(true);
    expect((await test.client.list(Deployment, { namespace: "default" })).items).toEqual([]);
    await test.close();
  });

  it("is all needed: without reading Deployments, the log says which list is forbidden", async () => {
    const test = await startCluster();
    const errors: string[] = [];
    const started = test.run(operator, {
      permissions: without("apps", "deployments"),
      logger: errorLog(errors),
    });
    started.catch(() => undefined);
    const refused =
      /deployments\.apps is forbidden: User "system:serviceaccount:default:application-operator" cannot (?:list|watch) resource "deployments"/;
    await expect.poll(() => errors.some((error) => refused.test(error)), { timeout: 10_000 }).toBe(true);
    await test.close();
  });
});
