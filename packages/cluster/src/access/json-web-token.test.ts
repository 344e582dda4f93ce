import { generateKeyPairSync } from "node:crypto";
import { SignJWT, importJWK, jwtVerify } from "jose";
import { describe, expect, it } from "vitest";
import { newSigningKey, readSigningKey, signedToken, verifiedPayload } from "./json-web-token.ts";

const rsaPem = (): string =>
  generateKeyPairSync("rsa", { modulusLength: 2048 })
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString();

describe("JSON web tokens", () => {
  it.each([
    ["ES256", newSigningKey],
    ["RS256", rsaPem],
  ])("are signed by %s so that others can verify them", async (algorithm, pem) => {
    const key = readSigningKey(pem());
    const token = signedToken({ sub: "x", n: 1 }, key);
    expect(verifiedPayload(token, key)).toEqual({ sub: "x", n: 1 });
    const jwk = await importJWK(key.publicKey.export({ format: "jwk" }) as never, algorithm);
    const { payload, protectedHeader } = await jwtVerify(token, jwk);
    expect([payload, protectedHeader]).toEqual([
      { sub: "x", n: 1 },
      { alg: algorithm, kid: key.id },
    ]);
  });

  it("of others are accepted when the key signed them, and no other way", async () => {
    const key = readSigningKey(newSigningKey());
    const sign = (alg: string, by: Parameters<SignJWT["sign"]>[0]): Promise<string> =>
      new SignJWT({ sub: "x" }).setProtectedHeader({ alg }).sign(by);
    expect(verifiedPayload(await sign("ES256", key.privateKey), key)).toEqual({ sub: "x" });
    expect(
      verifiedPayload(await sign("ES256", readSigningKey(newSigningKey()).privateKey), key),
    ).toBeUndefined();
    // the public key as a shared secret: the classic confusion of algorithms
    const secret = key.publicKey.export({ type: "spki", format: "der" });
    expect(verifiedPayload(await sign("HS256", secret), key)).toBeUndefined();
    for (const text of ["", "a.b", "a.b.c", "a.b.c.d", "..", "e30.e30.e30"]) {
      expect(verifiedPayload(text, key), text).toBeUndefined();
    }
  });
});
