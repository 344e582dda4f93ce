import { describe, expect, it } from "vitest";
import { isLoopback, parseImageReference } from "./image-reference.ts";

const digest = `sha256:${"a".repeat(64)}`;

describe("parseImageReference", () => {
  it.each([
    ["node", "registry-1.docker.io", "library/node", "docker.io/library/node:latest"],
    ["ada/shop:v1", "registry-1.docker.io", "ada/shop", "docker.io/ada/shop:v1"],
    ["docker.io/ada/shop:v1", "registry-1.docker.io", "ada/shop", "docker.io/ada/shop:v1"],
    ["registry.example.com/shop", "registry.example.com", "shop", "registry.example.com/shop:latest"],
    ["localhost/shop:v1", "localhost", "shop", "localhost/shop:v1"],
    [
      "127.0.0.1:5000/a/b__c/d.e-f:V1.2_x",
      "127.0.0.1:5000",
      "a/b__c/d.e-f",
      "127.0.0.1:5000/a/b__c/d.e-f:V1.2_x",
    ],
    ["[::1]:5000/shop:v1", "[::1]:5000", "shop", "[::1]:5000/shop:v1"],
    [`gcr.io/a/b@${digest}`, "gcr.io", "a/b", `gcr.io/a/b@${digest}`],
    [`gcr.io/a/b:v1@${digest}`, "gcr.io", "a/b", `gcr.io/a/b:v1@${digest}`],
  ])("reads %s", (text, registry, repository, full) => {
    expect(parseImageReference(text)).toMatchObject({ registry, repository, text: full });
    expect(parseImageReference(full).text).toBe(full);
  });

  it.each([
    ["", "it is empty"],
    ["Shop:v1", 'the name must be in lower case, and "Shop" is not'],
    ["registry.example.com/shop:", 'the tag "" must be'],
    ["registry.example.com/shop:-1", 'the tag "-1" must be'],
    ["registry.example.com/a//b", '"" must be lower-case letters'],
    ["registry.example.com/a..b", '"a..b" must be lower-case letters'],
    ["https://registry.example.com/shop", '"https:" is not a host'],
    ["shop@sha256:12", "sha256:12 is not a sha256 digest"],
    [`registry.example.com/${"a".repeat(250)}`, "longer than 255 characters"],
  ])("refuses %j: %s", (text, why) => {
    expect(() => parseImageReference(text)).toThrow(why);
  });

  it("knows registries on this machine", () => {
    expect(["localhost:5000", "127.1.2.3", "[::1]:5000", "reg.localhost"].filter(isLoopback)).toHaveLength(4);
    expect(["127.example.com", "localhost.example.com", "10.0.0.1"].filter(isLoopback)).toEqual([]);
  });
});
