import { describe, expect, it } from "vitest";
import { parseRequestInfo } from "./request-info.ts";

const cases: [method: string, path: string, query: string, expected: Record<string, unknown>][] = [
  [
    "GET",
    "/api/v1/pods",
    "",
    { verb: "list", group: "", version: "v1", resource: "pods", namespace: "", name: "" },
  ],
  ["GET", "/api/v1/pods", "watch=true", { verb: "watch" }],
  ["GET", "/api/v1/pods", "watch=0", { verb: "list" }],
  ["GET", "/api/v1/pods", "watch=False", { verb: "list" }],
  ["GET", "/api/v1/pods", "fieldSelector=metadata.name%3Dp", { verb: "list", name: "p" }],
  ["GET", "/api/v1/pods", "watch=1&fieldSelector=a%3Db,metadata.name%3D%3Dp", { verb: "watch", name: "p" }],
  ["GET", "/api/v1/pods", "fieldSelector=metadata.name!%3Dp", { verb: "list", name: "" }],
  ["GET", "/api/v1/pods", "fieldSelector=metadata.name%3Da/b", { verb: "list", name: "" }],
  ["GET", "/api/v1/pods", "fieldSelector=metadata.name", { verb: "list", name: "" }],
  ["GET", "/api/v1/watch/pods", "fieldSelector=metadata.name%3Dp", { verb: "watch", name: "" }],
  ["DELETE", "/api/v1/pods", "fieldSelector=metadata.name%3Dp", { verb: "deletecollection", name: "" }],
  ["GET", "/api/v1/namespaces/a/pods/p", "watch=true", { verb: "get", namespace: "a", name: "p" }],
  ["GET", "/api/v1/namespaces/a/pods/p/log", "", { verb: "get", name: "p", subresource: "log" }],
  ["GET", "/api/v1/namespaces/a", "", { verb: "get", resource: "namespaces", name: "a", namespace: "a" }],
  [
    "PUT",
    "/api/v1/namespaces/a/finalize",
    "",
    { verb: "update", resource: "namespaces", subresource: "finalize" },
  ],
  ["GET", "/api/v1/namespaces/status/pods", "", { resource: "pods", namespace: "status" }],
  [
    "POST",
    "/apis/apps/v1/namespaces/a/deployments",
    "",
    { verb: "create", group: "apps", resource: "deployments" },
  ],
  ["DELETE", "/apis/apps/v1/namespaces/a/deployments", "", { verb: "deletecollection" }],
  ["DELETE", "/apis/apps/v1/namespaces/a/deployments/d", "", { verb: "delete", name: "d" }],
  ["GET", "/apis/e.com/v1/watch/namespaces/a/things/t", "", { verb: "watch", name: "t", namespace: "a" }],
  ["GET", "/apis/e.com/v1/watch/things", "", { verb: "watch", resource: "things", name: "" }],
  ["GET", "/apis/e.com/v1", "", { isResource: false, group: "e.com", version: "v1" }],
  ["GET", "/apis", "", { isResource: false, group: "", version: "" }],
  ["GET", "/version", "", { isResource: false, verb: "get" }],
  ["GET", "/api/v1/pods/%zz", "", { isResource: false }],
  ["GET", "/apis/e.com/v1/namespaces/a/things/x%2Fy", "", { name: "x", subresource: "y" }],
  ["GET", "/apis/e.com/v1/namespaces/a/things/x/", "", { name: "x", subresource: "" }],
  ["GET", "/apis/e.com/v1/namespaces/a//things", "", { resource: "" }],
  ["OPTIONS", "/api/v1/pods", "", { verb: "", resource: "pods" }],
];

describe("parseRequestInfo", () => {
  it.each(cases)("%s %s?%s", (method, path, query, expected) => {
    expect(parseRequestInfo(method, path, new URLSearchParams(query))).toMatchObject(expected);
  });
});
