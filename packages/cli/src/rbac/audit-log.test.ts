import { describe, expect, it } from "vitest";
import { recordedRequests } from "./audit-log.ts";

const event = {
  kind: "Event",
  stage: "ResponseComplete",
  verb: "patch",
  requestURI: "/api/v1/namespaces/a/configmaps/b?fieldManager=x",
  userAgent: "shop/1",
  user: { username: "ada" },
  objectRef: { resource: "configmaps", namespace: "a", name: "b", apiVersion: "v1" },
  responseStatus: { code: 200 },
};

describe("recordedRequests", () => {
  it("counts an apply that has created its object as both", () => {
    const verbs = (code: number): string[] =>
      recordedRequests([{ ...event, responseStatus: { code } }], {}).map(({ verb }) => verb);
    expect(verbs(200)).toEqual(["patch"]);
    expect(verbs(201)).toEqual(["patch", "create"]);
  });

  it("counts each request once, whatever it was answered, and none before it is answered", () => {
    const received = { ...event, stage: "RequestReceived", verb: "delete" };
    expect(recordedRequests([event, event, received], {})).toHaveLength(1);
    expect(recordedRequests([{ ...event, responseStatus: { code: 403 } }], {})).toMatchObject([
      { allowed: false },
    ]);
  });

  it("goes by the user whose rights were used", () => {
    const asBob = { ...event, impersonatedUser: { username: "bob" } };
    expect(recordedRequests([asBob], { user: "ada" })).toEqual([]);
    expect(recordedRequests([asBob], { user: "bob" })).toHaveLength(1);
    expect(recordedRequests([event], { userAgent: "other" })).toEqual([]);
  });

  it("keeps the path of what is no resource", () => {
    const { objectRef: _, ...plain } = event;
    expect(recordedRequests([{ ...plain, verb: "get", requestURI: "/metrics?x=1" }], {})).toMatchObject([
      { isResource: false, path: "/metrics", resource: "" },
    ]);
  });
});
