/** Who may approve and sign which certificates. Source: kubernetes plugin/pkg/admission/certificates. */
import { type Json, jsonEqual } from "@bowline/api";
import { type SigningRequest, readSigningRequest } from "@bowline/runtime";
import type { AdmissionPlugin, AdmissionRequest } from "../../../registry/admission.ts";
import type { StoredObject } from "../../../store/revision.ts";
import { type Authorizer, mastersGroup } from "../../authorization.ts";
import { refusal } from "./refusal.ts";

const group = "certificates.k8s.io";
const clientSigner = "kubernetes.io/kube-apiserver-client";

interface Csr {
  readonly spec?: { readonly signerName?: string; readonly request?: string };
  readonly status?: { readonly certificate?: string; readonly conditions?: Json };
}

const csrOf = (object: StoredObject | undefined): Csr => (object ?? {}) as Csr;

/** Whether something is written at this endpoint of signing requests. */
function isCsr({ resource, object, subresource }: AdmissionRequest, endpoint: string): boolean {
  const { api } = resource;
  const matches = api.group === group && api.plural === "certificatesigningrequests";
  return matches && subresource === endpoint && object !== undefined;
}

/** Whether the user may `verb` certificates of a signer: named itself, or by its domain. */
function maySign(authorizer: Authorizer, { user }: AdmissionRequest, verb: string, signer: string): boolean {
  const asked = (name: string): boolean =>
    authorizer.authorize({
      user,
      info: { isResource: true, verb, group, namespace: "", resource: "signers", subresource: "", name },
      path: "",
    }).allowed;
  return asked(signer) || asked(`${signer.split("/")[0]}/*`);
}

function refuse(request: AdmissionRequest, why: string): never {
  throw refusal(request, why);
}

/** The three plug-ins around certificates. */
export function certificatePlugins(authorizer: Authorizer): readonly AdmissionPlugin[] {
  return [
    {
      name: "CertificateApproval",
      validate(request) {
        if (!isCsr(request, "approval")) return;
        // what counts is the signer that is stored: the endpoint does not change it
        const { signerName = "" } = csrOf(request.oldObject).spec ?? {};
        if (maySign(authorizer, request, "approve", signerName)) return;
        const signer = JSON.stringify(signerName);
        refuse(request, `user not permitted to approve requests with signerName ${signer}`);
      },
    },
    {
      name: "CertificateSigning",
      validate(request) {
        if (!isCsr(request, "status")) return;
        const { status: before, spec } = csrOf(request.oldObject);
        const { status: after } = csrOf(request.object);
        const sameCertificate = (before?.certificate ?? "") === (after?.certificate ?? "");
        if (sameCertificate && jsonEqual(before?.conditions ?? null, after?.conditions ?? null)) return;
        const { signerName = "" } = spec ?? {};
        if (maySign(authorizer, request, "sign", signerName)) return;
        const signer = JSON.stringify(signerName);
        refuse(request, `user not permitted to sign requests with signerName ${signer}`);
      },
    },
    {
      name: "CertificateSubjectRestriction",
      validate(request) {
        if (!isCsr(request, "") || request.operation !== "CREATE") return;
        const { signerName, request: pem = "" } = csrOf(request.object).spec ?? {};
        if (signerName !== clientSigner) return;
        let asked: SigningRequest;
        try {
          asked = readSigningRequest(Buffer.from(pem, "base64").toString());
        } catch {
          return refuse(request, "failed to parse CSR");
        }
        if (!asked.subject.organizations.includes(mastersGroup)) return;
        refuse(request, `use of ${clientSigner} signer with ${mastersGroup} group is not allowed`);
      },
    },
  ];
}
