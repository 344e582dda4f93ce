import { describe, expect, it } from "vitest";
import { managerFlags } from "./manager-flags.ts";

const optionsOf = (...args: string[]): object =>
  managerFlags(args, { environment: {} }).managerOptions("shop", "shop-system");

describe("managerFlags", () => {
  it("answers probes, and no metrics, without any flag", () => {
    expect(optionsOf()).toEqual({
      healthAddress: ":8081",
      metricsAddress: "0",
      secureMetrics: true,
      webhookServer: { address: ":9443" },
    });
  });

  it("elects a leader on a Lease of the operator's name in the pod's namespace", () => {
    expect(optionsOf("--leader-elect")).toMatchObject({
      leaderElection: { id: "shop", namespace: "shop-system" },
    });
    expect(optionsOf("--leader-elect=false")).not.toHaveProperty("leaderElection");
  });

  it.each([
    [["--metrics-bind-address=:8443"], { metricsAddress: ":8443" }],
    [
      ["--metrics-bind-address", ":8080", "--metrics-secure=false"],
      { metricsAddress: ":8080", secureMetrics: false },
    ],
    [["--metrics-cert-path=/c"], { secureMetrics: { certificateFile: "/c/tls.crt", keyFile: "/c/tls.key" } }],
    [
      ["--webhook-cert-path=/w", "--webhook-cert-name=a"],
      { webhookServer: { certificate: { directory: "/w", certificateName: "a", keyName: "tls.key" } } },
    ],
    [
      ["--webhook-service=hooks"],
      { webhookServer: { reach: { service: { namespace: "shop-system", name: "hooks" } } } },
    ],
    [["--watch-namespace=a, b"], { cache: { namespaces: ["a", "b"] } }],
  ])("understands %j", (args, expected) => {
    expect(optionsOf(...args)).toMatchObject(expected);
  });

  it("takes the namespaces from WATCH_NAMESPACE", () => {
    const flags = managerFlags([], { environment: { WATCH_NAMESPACE: "team-a" } });
    expect(flags.managerOptions("shop", "x")).toMatchObject({ cache: { namespaces: ["team-a"] } });
  });

  it.each([
    [["--nonsense"], /unknown flag --nonsense; there are:\n {2}--kubeconfig/],
    [["--help"], /--leader-elect +work only while holding the Lease/],
    [["--metrics-bind-address"], /--metrics-bind-address needs a value/],
    [["--leader-elect=maybe"], /is a switch/],
  ])("refuses %j", (args, message) => {
    expect(() => managerFlags(args, { environment: {} })).toThrow(message);
  });
});
