import { describe, expect, it } from "vitest";
import { proxyFromEnvironment } from "./proxy.ts";

const proxy = "http://proxy:3128";

describe("proxyFromEnvironment", () => {
  it.each([
    // server, NO_PROXY, is proxied
    ["https://api.example.com:6443", "", true],
    ["https://localhost:6443", "", false],
    ["https://127.0.0.1:6443", "", false],
    ["https://127.9.9.9", "", false],
    ["https://[::1]:6443", "", false],
    ["https://api.example.com", "*", false],
    ["https://api.example.com", "example.com", false],
    ["https://example.com", "example.com", false],
    ["https://example.com", ".example.com", true],
    ["https://api.example.com", ".example.com", false],
    ["https://api.example.com", "*.example.com", false],
    ["https://example.com", "*.example.com", true],
    ["https://notexample.com", "example.com", true],
    ["https://API.Example.com", "EXAMPLE.COM", false],
    ["https://api.example.com:6443", "example.com:6443", false],
    ["https://api.example.com:6443", "example.com:443", true],
    ["https://api.example.com", "example.com:443", false],
    ["https://10.0.0.1:6443", "10.0.0.1", false],
    ["https://10.0.0.10:6443", "10.0.0.1", true],
    ["https://10.1.2.3:6443", "10.0.0.0/8", false],
    ["https://11.1.2.3:6443", "10.0.0.0/8", true],
    ["https://10.1.2.3:6443", "10.0.0.0/99", true],
    ["https://[fd00::12]:6443", "fd00::/8", false],
    ["https://[2001::12]:6443", "fd00::/8", true],
    ["https://[fd00::12]:6443", "[fd00::12]:6443", false],
    ["https://api.example.com", "a.com, ,example.com ", false],
  ])("case 17: %s with NO_PROXY=%s: %s", (server, noProxy, isProxied) => {
    const environment = { HTTPS_PROXY: proxy, NO_PROXY: noProxy };
    expect(proxyFromEnvironment(new URL(server), environment)).toBe(isProxied ? proxy : undefined);
  });

  it("case 17: reads lower-case names, prefers upper-case ones, and takes an address without a scheme for http", () => {
    const server = new URL("https://api.example.com");
    expect(proxyFromEnvironment(server, { https_proxy: "lower:1" })).toBe("http://lower:1");
    expect(proxyFromEnvironment(server, { https_proxy: "lower:1", HTTPS_PROXY: "upper:1" })).toBe(
      "http://upper:1",
    );
    expect(proxyFromEnvironment(server, { HTTPS_PROXY: proxy, no_proxy: "example.com" })).toBeUndefined();
  });

  it("uses HTTP_PROXY for http servers alone", () => {
    expect(proxyFromEnvironment(new URL("http://api.example.com"), { HTTP_PROXY: proxy })).toBe(proxy);
    expect(proxyFromEnvironment(new URL("https://api.example.com"), { HTTP_PROXY: proxy })).toBeUndefined();
    expect(proxyFromEnvironment(new URL("http://api.example.com"), { HTTPS_PROXY: proxy })).toBeUndefined();
  });
});
