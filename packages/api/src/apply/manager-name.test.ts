import { describe, expect, it } from "vitest";
import { managerName } from "./manager-name.ts";

describe("managerName", () => {
  it.each([
    ["mine", "kubectl/v1.35", "mine"],
    [undefined, "kubectl/v1.35 (linux/amd64)", "kubectl"],
    ["", "kubectl/v1.35", "kubectl"],
    [undefined, undefined, ""],
    [undefined, "", ""],
    [undefined, "/curl", ""],
    [undefined, "Go-http-client", "Go-http-client"],
    [undefined, "na\u0007me\n/1", "name"],
    [undefined, "two words/1", "two words"],
    [undefined, "wide\u00a0space/1", "widespace"],
    [undefined, "日本語/1", "日本語"],
    [undefined, "a".repeat(200), "a".repeat(128)],
    [undefined, "é".repeat(100), "é".repeat(64)],
    [undefined, `${"a".repeat(126)}語z`, "a".repeat(126)],
    ["m".repeat(200), "x", "m".repeat(200)],
  ])("of parameter %j and user agent %j is %j", (parameter, agent, expected) => {
    expect(managerName(parameter, agent)).toBe(expected);
  });
});
