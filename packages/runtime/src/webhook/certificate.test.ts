import { X509Certificate, randomBytes } from "node:crypto";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { createCertificateAuthority, issueCertificate } from "./certificate.ts";

const notBefore = Date.UTC(2026, 0, 1);
const notAfter = Date.UTC(2060, 0, 1);
const random = (count: number): Uint8Array => randomBytes(count);

describe("certificates", () => {
  const authority = createCertificateAuthority({ commonName: "test-ca", notBefore, notAfter, random });

  it("names subject, groups, hosts and lifetime as asked, signed by the authority", () => {
    const issued = issueCertificate(authority, {
      commonName: "someone",
      organizations: ["system:masters", "devs"],
      hosts: ["localhost", "127.0.0.1", "::1", "svc.ns.svc"],
      usages: ["serverAuth", "clientAuth"],
      notBefore,
      notAfter,
      random,
    });
    const ca = new X509Certificate(authority.certificatePem);
    const certificate = new X509Certificate(issued.certificatePem);
    expect(ca.ca).toBe(true);
    expect(certificate.ca).toBe(false);
    expect(certificate.verify(ca.publicKey)).toBe(true);
    expect(certificate.checkIssued(ca)).toBe(true);
    expect(certificate.subject.split("\n")).toEqual(["O=system:masters", "O=devs", "CN=someone"]);
    expect(certificate.subjectAltName).toBe(
      "DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, DNS:svc.ns.svc",
    );
    expect(Date.parse(certificate.validTo)).toBe(notAfter);
    expect(Date.parse(certificate.validFrom)).toBe(notBefore);
  });

  it("serves HTTPS that a client trusting the authority accepts, and one that does not refuses", async () => {
    const issued = issueCertificate(authority, {
      commonName: "server",
      hosts: ["127.0.0.1"],
      usages: ["serverAuth"],
      notBefore,
      notAfter,
      random,
    });
    const server = https.createServer(
      { cert: issued.certificatePem, key: issued.keyPem },
      (_request, response) => {
        response.end("hello");
      },
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const get = (ca: string | undefined): Promise<string> =>
      new Promise((resolve, reject) => {
        https
          .get({ host: "127.0.0.1", port, ...(ca === undefined ? {} : { ca }) }, (response) => {
            response.on("data", (chunk: Buffer) => resolve(chunk.toString()));
          })
          .on("error", reject);
      });
    await expect(get(authority.certificatePem)).resolves.toBe("hello");
    await expect(get(undefined)).rejects.toThrow(/self.signed|unable to verify/);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
