import { isInvalid } from "@bowline/api";
import { type TestCluster, startCluster } from "@bowline/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Application } from "../api/v1/application.ts";
import operator from "../operator.ts";
import { applicationProblems, defaultApplication } from "./application.ts";

const application = (image: string, version?: string): Application => ({
  apiVersion: "example.com/v1",
  kind: "Application",
  metadata: { name: "a" },
  spec: { replicas: 1, image, ...(version === undefined ? {} : { version }) },
});

describe("the Application webhook", () => {
  it.each([
    ["nginx:1.25", "nginx", "1.25"],
    ["localhost:5000/nginx:1.25", "localhost:5000/nginx", "1.25"],
    ["localhost:5000/nginx", "localhost:5000/nginx", undefined],
    ["nginx", "nginx", undefined],
  ])("makes of image %s image %s and version %s", (image, name, version) => {
    expect(defaultApplication(application(image)).spec).toEqual(application(name, version).spec);
  });

  it("leaves an object alone that says everything", () => {
    const whole = application("nginx", "1.25");
    expect(defaultApplication(whole)).toBe(whole);
  });

  it("has nothing against a good object", () => {
    expect(applicationProblems(application("localhost:5000/nginx", "1.25"))).toEqual([]);
  });

  it("finds a tag in the image beside a version", () => {
    expect(applicationProblems(application("nginx:1.24", "1.25"))).toMatchObject([{ field: "spec.image" }]);
  });
});

describe("the API server with the Application webhook", () => {
  let test: TestCluster;
  beforeAll(async () => {
    test = await startCluster();
    await test.run(operator, { webhooks: true });
  });
  afterAll(() => test.close());

  const create = (name: string, spec: Partial<Application["spec"]>) =>
    test.client.create(Application, { metadata: { name, namespace: "default" }, spec } as never);

  it("stores what the defaults make of an object", async () => {
    expect((await create("tagged", { image: "nginx:1.25" })).spec).toEqual({
      replicas: 1,
      image: "nginx",
      version: "1.25",
    });
  });

  it("refuses what the validation finds, as its own errors look", async () => {
    const refused = await create("twice", { image: "nginx:1.24", version: "1.25" }).catch((e: unknown) => e);
    expect(isInvalid(refused)).toBe(true);
    expect(String(refused)).toContain(
      'spec.image: Invalid value: "nginx:1.24": must be without a tag: it says 1.24, and spec.version says 1.25',
    );
  });

  it("refuses what the schema forbids before the webhook is asked", async () => {
    const refused = await create("many", { image: "nginx", replicas: 11 }).catch((e: unknown) => e);
    expect(String(refused)).toContain("spec.replicas: Invalid value: 11");
  });
});
