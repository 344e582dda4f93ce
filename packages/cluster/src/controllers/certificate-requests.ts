/**
 * Approves what kubelets ask for, signs what is approved, and clears old requests.
 * Source: kubernetes pkg/controller/certificates (approver, signer, cleaner), pkg/apis/certificates/helpers.go.
 */
import type { DeepReadonly } from "@bowline/api";
import { CertificateSigningRequest } from "@bowline/api/certificates/v1";
import { rfc3339 } from "@bowline/client";
import {
  type ControllerDefinition,
  type KeyPair,
  type ReconcileContext,
  type SigningRequest,
  defineController,
  readSigningRequest,
  signRequest,
} from "@bowline/runtime";
import { managerName } from "./control-plane.ts";

type Csr = DeepReadonly<CertificateSigningRequest>;
type Context = ReconcileContext<CertificateSigningRequest>;

/** What signs. */
export interface CertificateSigner {
  /** The cluster's authority; made on first use. */
  authority(): KeyPair;
  random(bytes: number): Uint8Array;
}

const clientSigner = "kubernetes.io/kube-apiserver-client";
const kubeletClientSigner = "kubernetes.io/kube-apiserver-client-kubelet";
const kubeletServingSigner = "kubernetes.io/kubelet-serving";
const decidedMs = 3_600_000;
const pendingMs = 86_400_000;

export function certificateRequestController(signer: CertificateSigner): ControllerDefinition {
  return defineController(CertificateSigningRequest, {
    name: "certificate-request-controller",
    fieldManager: managerName,
    async reconcile(request, ctx) {
      const decision = request.status?.conditions?.find(
        ({ type }) => type === "Approved" || type === "Denied" || type === "Failed",
      );
      if (decision === undefined && isOfKubelet(request)) {
        await addCondition(request, ctx, "approval", {
          type: "Approved",
          reason: "AutoApproved",
          message: "Auto approving kubelet client certificate after SubjectAccessReview.",
        });
        return undefined;
      }
      if (isToBeSigned(request)) await answer(request, ctx, signer);
      const since = Date.parse(decision?.lastUpdateTime ?? request.metadata.creationTimestamp ?? "");
      const leftMs = since + (decision === undefined ? pendingMs : decidedMs) - ctx.clock.now();
      if (leftMs > 0) return { requeueAfterMs: leftMs };
      await ctx.delete(request);
      return undefined;
    },
  });
}

function isOfKubelet({ spec }: Csr): boolean {
  if (spec?.signerName !== kubeletClientSigner) return false;
  return (
    spec.username?.startsWith("system:node:") === true ||
    spec.groups?.includes("system:bootstrappers") === true
  );
}

function isToBeSigned({ spec, status }: Csr): boolean {
  const has = (wanted: string): boolean =>
    status?.conditions?.some(({ type, status: value }) => type === wanted && value === "True") === true;
  return (
    has("Approved") &&
    !has("Denied") &&
    !has("Failed") &&
    (status?.certificate ?? "") === "" &&
    checks[spec?.signerName ?? ""] !== undefined
  );
}

/** Signs a request, or notes why that cannot be. */
async function answer(request: Csr, ctx: Context, signer: CertificateSigner): Promise<void> {
  const { spec, status } = request;
  let certificate: string;
  try {
    const asked = readSigningRequest(Buffer.from(spec?.request ?? "", "base64").toString());
    const usages = spec?.usages ?? [];
    const problem = checks[spec?.signerName ?? ""]?.(asked, usages);
    if (problem !== undefined) {
      await addCondition(request, ctx, "status", {
        type: "Failed",
        reason: "SignerValidationFailure",
        message: problem,
      });
      return;
    }
    certificate = signRequest(signer.authority(), asked, {
      usages,
      ...lifetime(spec?.expirationSeconds, ctx.clock.now()),
      random: (bytes) => signer.random(bytes),
    });
  } catch (error) {
    ctx.log.warn({ err: error }, "the certificate signing request cannot be read");
    return;
  }
  const next = {
    ...request,
    status: { ...status, certificate: Buffer.from(certificate).toString("base64") },
  };
  await ctx.client.update(CertificateSigningRequest, next as never, {
    subresource: "status",
    signal: ctx.signal,
  });
}

async function addCondition(
  request: Csr,
  ctx: Context,
  subresource: "approval" | "status",
  condition: { readonly type: string; readonly reason: string; readonly message: string },
): Promise<void> {
  const now = rfc3339(ctx.clock.now());
  const added = { ...condition, status: "True", lastUpdateTime: now, lastTransitionTime: now };
  const conditions = [...(request.status?.conditions ?? []), added];
  await ctx.client.update(
    CertificateSigningRequest,
    { ...request, status: { ...request.status, conditions } } as never,
    { subresource, signal: ctx.signal },
  );
}

const minuteMs = 60_000;
const yearMs = 365 * 86_400_000;
/** The start of a certificate is dated back for clocks that differ, the end of all but short ones with it. */
const backdateMs = 5 * minuteMs;
const shortMs = 8 * 60 * minuteMs;

function lifetime(seconds: number | undefined, now: number): { notBefore: number; notAfter: number } {
  const asked = seconds === undefined ? yearMs : seconds * 1000;
  const lifeMs = Math.min(Math.max(asked, 10 * minuteMs), yearMs);
  const notBefore = now - backdateMs;
  return { notBefore, notAfter: (lifeMs < shortMs ? now : notBefore) + lifeMs };
}

type Check = (request: SigningRequest, usages: readonly string[]) => string | undefined;

/** What each signer asks of a request, in the words that its condition shows. */
const checks: Readonly<Record<string, Check>> = {
  [clientSigner](_request, usages) {
    const wrong = usages.find(
      (usage) => !["client auth", "digital signature", "key encipherment"].includes(usage),
    );
    if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`;
    return usages.includes("client auth")
      ? undefined
      : "missing required usage for client certificate: client auth";
  },
  [kubeletClientSigner]({ subject, names }, usages) {
    if (subject.organizations.join() !== "system:nodes") return notNodes;
    if (names.dns.length > 0) return "DNS subjectAltNames are not allowed";
    if (names.emails.length > 0) return "Email subjectAltNames are not allowed";
    if (names.addressCount > 0) return "IP subjectAltNames are not allowed";
    if (names.uris.length > 0) return "URI subjectAltNames are not allowed";
    if (!subject.commonName.startsWith("system:node:")) return notANode;
    return usageProblem(usages, "client auth");
  },
  [kubeletServingSigner]({ subject, names }, usages) {
    if (subject.organizations.join() !== "system:nodes") return notNodes;
    if (names.dns.length === 0 && names.addressCount === 0) return "DNS or IP subjectAltName is required";
    if (names.emails.length > 0) return "Email subjectAltNames are not allowed";
    if (names.uris.length > 0) return "URI subjectAltNames are not allowed";
    const problem = usageProblem(usages, "server auth");
    if (problem !== undefined) return problem;
    return subject.commonName.startsWith("system:node:") ? undefined : notANode;
  },
};

const notNodes = "subject organization is not system:nodes";
const notANode = "subject common name does not begin with system:node:";

/** Kubelets ask for exactly these, those without RSA keys not for encipherment. */
function usageProblem(usages: readonly string[], purpose: string): string | undefined {
  const given = new Set(usages);
  given.delete("key encipherment");
  if (given.size === 2 && given.has("digital signature") && given.has(purpose)) return undefined;
  const wanted = [purpose, "digital signature", "key encipherment"].sort();
  return `usages did not match [${wanted.join(" ")}]`;
}
