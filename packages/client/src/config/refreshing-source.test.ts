import { describe, expect, it } from "vitest";
import { VirtualClock } from "../ports/virtual-clock.ts";
import { type Lease, RefreshingSource } from "./refreshing-source.ts";

function source(lifeMs: number | undefined, outcome: (run: number) => Partial<Lease> | Error = () => ({})) {
  const clock = new VirtualClock();
  let runCount = 0;
  const load = async (): Promise<Lease> => {
    const run = ++runCount;
    await Promise.resolve();
    const given = outcome(run);
    if (given instanceof Error) throw given;
    const expiresAtMs = lifeMs === undefined ? undefined : clock.now() + lifeMs;
    return { credentials: { authorization: `Bearer ${run}` }, expiresAtMs, ...given };
  };
  return { clock, credentials: new RefreshingSource({ clock, load }), runs: () => runCount };
}

describe("RefreshingSource", () => {
  it("loads once for any number of callers at once", async () => {
    const { credentials, runs } = source(60_000);
    const all = await Promise.all(Array.from({ length: 50 }, () => credentials.current()));
    expect(new Set(all).size).toBe(1);
    expect(runs()).toBe(1);
  });

  it("fetches the next credentials before the old ones end, without making anybody wait", async () => {
    const { clock, credentials, runs } = source(100_000);
    await credentials.current();
    await clock.advance(79_000);
    expect(await credentials.current()).toEqual({ authorization: "Bearer 1" });
    expect(runs()).toBe(1);
    await clock.advance(2_000);
    expect(await credentials.current()).toEqual({ authorization: "Bearer 1" });
    await clock.advance(0);
    expect(runs()).toBe(2);
    expect(await credentials.current()).toEqual({ authorization: "Bearer 2" });
  });

  it("never gives out credentials that have expired", async () => {
    const { clock, credentials, runs } = source(2_000);
    await credentials.current();
    await clock.advance(5_000);
    expect(await credentials.current()).toEqual({ authorization: "Bearer 2" });
    expect(runs()).toBe(2);
  });

  it("lets old credentials serve on when the early load fails", async () => {
    const { clock, credentials } = source(100_000, (run) => (run === 2 ? new Error("not now") : {}));
    await credentials.current();
    await clock.advance(90_000);
    expect(await credentials.current()).toEqual({ authorization: "Bearer 1" });
    await clock.advance(5_000);
    await credentials.current();
    await clock.advance(0);
    expect(await credentials.current()).toEqual({ authorization: "Bearer 3" });
  });

  it("does not load again at once after a failure", async () => {
    const { clock, credentials, runs } = source(undefined, (run) => (run === 1 ? new Error("broken") : {}));
    for (let call = 0; call < 5; call++) await expect(credentials.current()).rejects.toThrow("broken");
    expect(runs()).toBe(1);
    await clock.advance(2_000);
    expect(await credentials.current()).toEqual({ authorization: "Bearer 2" });
  });

  it("renews once when many requests were refused with the same credentials", async () => {
    const { credentials, runs } = source(undefined);
    const refused = await credentials.current();
    const renewed = await Promise.all(Array.from({ length: 20 }, () => credentials.renew(refused)));
    expect(renewed.every((one) => one?.authorization === "Bearer 2")).toBe(true);
    expect(runs()).toBe(2);
  });

  it("recognises its credentials among those joined with another source's", async () => {
    const { credentials, runs } = source(undefined);
    const own = await credentials.current();
    const joined = { ...own, certificate: { cert: "c", key: "k" } };
    expect(await credentials.renew(joined)).toEqual({ authorization: "Bearer 2" });
    expect(runs()).toBe(2);
  });

  it("gives up when the renewed credentials are refused too, and tries again later", async () => {
    const { clock, credentials, runs } = source(undefined);
    const first = await credentials.current();
    const second = await credentials.renew(first);
    expect(second).toBeDefined();
    expect(await credentials.renew(second ?? {})).toBeUndefined();
    expect(runs()).toBe(2);
    await clock.advance(2_000);
    expect(await credentials.renew(second ?? {})).toEqual({ authorization: "Bearer 3" });
  });

  it("says that there is nothing better when the same credentials come again", async () => {
    const { credentials } = source(undefined, () => ({ credentials: { authorization: "Bearer same" } }));
    expect(await credentials.renew(await credentials.current())).toBeUndefined();
  });

  it("lets one caller give up without stopping the load for the others", async () => {
    const { credentials } = source(undefined);
    const controller = new AbortController();
    const impatient = credentials.current(controller.signal);
    const patient = credentials.current();
    controller.abort(new Error("no time"));
    await expect(impatient).rejects.toThrow("no time");
    expect(await patient).toEqual({ authorization: "Bearer 1" });
  });
});
