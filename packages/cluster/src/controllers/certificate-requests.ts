/** Approves what kubelets ask for, and clears old requests. Source: kubernetes pkg/controller/certificates (approver, cleaner). */
import { CertificateSigningRequest } from "@bowline/api/certificates/v1";
import { rfc3339 } from "@bowline/client";
import { type ControllerDefinition, defineController } from "@bowline/runtime";
import { managerName } from "./control-plane.ts";

const kubeletSigner = "kubernetes.io/kube-apiserver-client-kubelet";
const decidedMs = 3_600_000;
const pendingMs = 86_400_000;

export function certificateRequestController(): ControllerDefinition {
  return defineController(CertificateSigningRequest, {
    name: "certificate-request-controller",
    fieldManager: managerName,
    async reconcile(request, ctx) {
      const decision = request.status?.conditions?.find(
        ({ type }) => type === "Approved" || type === "Denied" || type === "Failed",
      );
      const isNode =
        request.spec?.username?.startsWith("system:node:") === true ||
        request.spec?.groups?.includes("system:bootstrappers") === true;
      if (decision === undefined && request.spec?.signerName === kubeletSigner && isNode) {
        const now = rfc3339(ctx.clock.now());
        const approved = {
          type: "Approved",
          status: "True",
          reason: "AutoApproved",
          message: "Auto approving kubelet client certificate after SubjectAccessReview.",
          lastUpdateTime: now,
          lastTransitionTime: now,
        };
        const conditions = [...(request.status?.conditions ?? []), approved];
        await ctx.client.update(
          CertificateSigningRequest,
          { ...request, status: { ...request.status, conditions } } as never,
          {
            subresource: "approval",
            signal: ctx.signal,
          },
        );
        return undefined;
      }
      const since = Date.parse(decision?.lastUpdateTime ?? request.metadata.creationTimestamp ?? "");
      const leftMs = since + (decision === undefined ? pendingMs : decidedMs) - ctx.clock.now();
      if (leftMs > 0) return { requeueAfterMs: leftMs };
      await ctx.delete(request);
      return undefined;
    },
  });
}
