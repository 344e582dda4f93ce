import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { base64, sha256, sha256Hex } from "./sha256.ts";

describe("sha256", () => {
  it("gives the digest of the published example", () => {
    expect(sha256Hex("abc")).toBe("BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD");
  });

  it("agrees with OpenSSL on any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        expect(base64(sha256(text))).toBe(createHash("sha256").update(text, "utf8").digest("base64"));
      }),
    );
  });
});
