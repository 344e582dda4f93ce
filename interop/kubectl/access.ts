/** Who may do what: tokens, impersonation, reviews, certificates, the proxy. */
import { type Step, fails, ok, soon, without } from "../step.ts";
import type { KubectlMinor } from "./steps.ts";

export function accessSteps(minor: KubectlMinor): Step[] {
  return [...permissions(minor), ...certificates, ...proxy];
}

function permissions(minor: KubectlMinor): Step[] {
  return [
    ok("kubectl auth can-i create deployments", "yes"),
    ok("kubectl auth can-i '*' '*' --all-namespaces", "yes"),
    ok("kubectl auth can-i create pods --subresource=exec", "yes"),
    ok("kubectl auth can-i get /logs/", "yes"),
    fails(1, "kubectl auth can-i get /logs/ --as=nobody", "no"),
    ok("kubectl auth can-i list deployments.apps/scale", "yes"),
    fails(1, "kubectl auth can-i create deployments --as=nobody", "no"),
    ok("kubectl auth can-i list pods --as=system:serviceaccount:shop:bot", "yes"),
    fails(1, "kubectl auth can-i delete pods --as=system:serviceaccount:shop:bot", "no"),
    fails(
      1,
      "kubectl auth can-i get nodes --as=nobody",
      /^Warning: resource 'nodes' is not namespace scoped$/m,
      /^no$/m,
    ),
    ok(
      "kubectl auth can-i --list --as=system:serviceaccount:shop:bot",
      /^Resources +Non-Resource URLs +Resource Names +Verbs$/m,
      /^pods\/log +\[\] +\[\] +\[get list watch\]$/m,
      /^selfsubjectreviews\.authentication\.k8s\.io +\[\] +\[\] +\[create\]$/m,
    ),
    ok("kubectl auth whoami -o json | jq -r .kind", "SelfSubjectReview"),
    ok(
      "kubectl auth whoami --as=jane --as-group=sailors",
      /^Username +jane$/m,
      /^Groups +\[sailors system:authenticated\]$/m,
    ),
    ok(
      "kubectl auth reconcile -f reader.yaml",
      /^role\.rbac\.authorization\.k8s\.io\/pod-reader reconciled$/m,
      /^rolebinding\.rbac\.authorization\.k8s\.io\/pod-reader reconciled$/m,
    ),
    soon("kubectl get pods --as=jane -o name", /^pod\/tool$/m),
    fails(
      1,
      "kubectl delete pod tool --as=jane",
      'Error from server (Forbidden): pods "tool" is forbidden: User "jane" cannot delete resource "pods" in API group "" in the namespace "shop"',
    ),
    fails(
      1,
      "kubectl get secrets --as=jane",
      'Error from server (Forbidden): secrets is forbidden: User "jane" cannot list resource "secrets" in API group "" in the namespace "shop"',
    ),
    ok("kubectl get nodes --as=jane -o name", "node/node-1\nnode/node-2"),
    fails(
      1,
      "kubectl create role escalate --verb=get --resource=secrets --as=jane -n shop",
      /cannot create resource "roles" in API group "rbac\.authorization\.k8s\.io" in the namespace "shop"/,
    ),
    ok(
      "kubectl create token bot > token.txt; kubectl config view --minify --raw -o json | jq '.users[0].user = {} | .users[0].user.token = $token' --arg token \"$(cat token.txt)\" > bot.json; kubectl --kubeconfig bot.json auth whoami",
      /^Username +system:serviceaccount:shop:bot$/m,
      /system:serviceaccounts:shop/,
    ),
    ok("kubectl --kubeconfig bot.json get pod tool -o name", "pod/tool"),
    fails(
      1,
      "kubectl --kubeconfig bot.json get secrets",
      /User "system:serviceaccount:shop:bot" cannot list resource "secrets" in API group "" in the namespace "shop"/,
    ),
    fails(
      1,
      "jq '.users[0].user.token = \"wrong\"' bot.json > wrong.json; kubectl --kubeconfig wrong.json get pods",
      /^error: You must be logged in to the server/m,
    ),
    fails(
      1,
      "kubectl auth can-i create pods --as=system:anonymous --as-group=system:unauthenticated",
      /User "system:anonymous" cannot create resource "selfsubjectaccessreviews" in API group "authorization\.k8s\.io" at the cluster scope/,
    ),
    ...(minor >= 35
      ? [ok("kubectl auth can-i get pods/log --as=system:serviceaccount:shop:bot --quiet", "")]
      : []),
  ];
}

const certificates: Step[] = [
  ok(
    `openssl req -newkey rsa:2048 -nodes -keyout anna.key -out anna.csr -subj '/O=crew/CN=anna' 2>/dev/null; kubectl create -f - <<EOF
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: { name: anna }
spec:
  request: $(base64 -w0 anna.csr)
  signerName: kubernetes.io/kube-apiserver-client
  usages: [client auth]
EOF`,
    "certificatesigningrequest.certificates.k8s.io/anna created",
  ),
  ok(
    "kubectl get csr anna --no-headers",
    /^anna +\S+ +kubernetes\.io\/kube-apiserver-client +\S+ +<none> +Pending$/m,
  ),
  ok("kubectl certificate approve anna", "certificatesigningrequest.certificates.k8s.io/anna approved"),
  soon("kubectl get csr anna --no-headers", /Approved,Issued$/m),
  soon(
    'kubectl get csr anna -o jsonpath=\'{.status.certificate}\' | base64 -d > anna.crt; kubectl config view --minify --raw -o json | jq \'.users[0].user = {"client-certificate": "anna.crt", "client-key": "anna.key"}\' > anna.json; kubectl --kubeconfig anna.json auth whoami',
    /^Username +anna$/m,
    /^Groups +\[crew system:authenticated\]$/m,
  ),
];

const proxy: Step[] = [
  without(
    ok(
      `kubectl proxy --port=0 > proxy.txt 2>&1 & pid=$!
for i in $(seq 600); do grep -q 'Starting to serve' proxy.txt && break; sleep 0.1; done
url=http://$(grep -oE '127.0.0.1:[0-9]+' proxy.txt)
curl -s $url/version | jq -r .major
curl -s $url/api/v1/namespaces/shop/pods/tool | jq -r .metadata.name
curl -s -X POST -H 'Content-Type: application/yaml' --data-binary @colors.yaml "$url/api/v1/namespaces/shop/configmaps?dryRun=All" | jq -r .reason
curl -s -H 'Accept: application/yaml' $url/api/v1/namespaces/shop/configmaps/settings | head -1
curl -s -N "$url/api/v1/namespaces/shop/configmaps?watch=1&timeoutSeconds=1" | head -1 | jq -r .type
kill $pid`,
      /^1\ntool\nAlreadyExists\napiVersion: v1\nADDED$/m,
    ),
    /error/i,
  ),
];
