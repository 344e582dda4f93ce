/** Many objects at once: sets that are pruned, what is sent as it is, kustomizations; and the contexts of a kubeconfig. */
import { type Step, fails, ok } from "../step.ts";
import type { KubectlMinor } from "./steps.ts";

export function setSteps(minor: KubectlMinor): Step[] {
  return [...applySets, ...raw, ...files(minor), ...contexts];
}

const map = (name: string, value: string): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: value } });

const prune = "KUBECTL_APPLYSET=true kubectl apply --prune --applyset=fleet -n shop -f -";

const applySets: Step[] = [
  ok(
    `printf '%s\\n%s\\n' '${map("s1", "1")}' '${map("s2", "1")}' | ${prune}`,
    "configmap/s1 created\nconfigmap/s2 created",
  ),
  ok(
    "kubectl get secret fleet -o jsonpath='{.metadata.annotations} {.metadata.labels}'",
    /"applyset\.kubernetes\.io\/contains-group-(kinds|resources)":"(ConfigMap|configmaps)"/,
    /"applyset\.kubernetes\.io\/id":"applyset-[\w-]+-v1"/,
  ),
  ok(
    `echo '${map("s2", "2")}' | ${prune} --dry-run=server`,
    "configmap/s2 configured (server dry run)\nconfigmap/s1 pruned (server dry run)",
  ),
  ok(`echo '${map("s2", "2")}' | ${prune}`, "configmap/s2 configured\nconfigmap/s1 pruned"),
  ok("kubectl get configmap s1 s2 --ignore-not-found -o name", "configmap/s2"),
  ok("kubectl delete configmap s2 && kubectl delete secret fleet", /configmap "s2" deleted/),
];

const raw: Step[] = [
  ok(
    `echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"sent"}}' | kubectl create --raw /api/v1/namespaces/shop/configmaps -f - | jq -r .metadata.name`,
    "sent",
  ),
  ok(
    "kubectl get configmap sent -o json | jq '.data.a=\"b\"' | kubectl replace --raw /api/v1/namespaces/shop/configmaps/sent -f - | jq -c .data",
    '{"a":"b"}',
  ),
  ok(
    "kubectl delete --raw /api/v1/namespaces/shop/configmaps/sent | jq -c '[.kind, .status, .details.kind]'",
    '["Status","Success","configmaps"]',
  ),
  fails(1, "kubectl delete --raw /api/v1/namespaces/shop/configmaps/sent", /configmaps "sent" not found/),
];

function files(minor: KubectlMinor): Step[] {
  const where = minor >= 35 ? " from shop namespace" : "";
  return [
    ok("kubectl kustomize .", /^ {2}name: k-colors$/m, /^ {2}name: k-generated-\w+$/m),
    ok("kubectl kustomize . | kubectl diff -f -", ""),
    fails(2, "kubectl diff -f nothing.yaml 2>&1 || exit $?", /the path "nothing\.yaml" does not exist/),
    ok("kubectl apply -f web.yaml", /deployment\.apps\/site created/),
    ok(
      "KUBE_EDITOR=\"sed -i 's/replicas: 2/replicas: 4/'\" kubectl apply edit-last-applied deployment/site",
      "deployment.apps/site edited",
    ),
    ok("kubectl apply view-last-applied deployment/site -o json | jq .spec.replicas", "4"),
    ok("kubectl get deployment site -o jsonpath='{.spec.replicas}'", "2"),
    ok("kubectl label --local -f colors.yaml x=y -o jsonpath='{.metadata.labels}'", '{"x":"y"}'),
    ok("kubectl replace --force -f web.yaml --grace-period=0", /^deployment\.apps\/site replaced$/m),
    ok("kubectl get deployment site --subresource=scale --no-headers", /^site +2 +\d +\S+$/m),
    ok("kubectl delete -f web.yaml --now", new RegExp(`^deployment\\.apps "site" deleted${where}$`, "m")),
    ok("kubectl completion bash | bash -n", ""),
    fails(
      1,
      "PATH=$(dirname $(command -v kubectl)) kubectl plugin list",
      /unable to find any kubectl plugins/,
    ),
    ok("kubectl options", /--as-group=/),
  ];
}

const contexts: Step[] = [
  ok("cp $KUBECONFIG copy.json; kubectl --kubeconfig copy.json config get-clusters", /^NAME\n\S+$/m),
  ok(
    "kubectl --kubeconfig copy.json config set-cluster other --server=https://127.0.0.1:1 && kubectl --kubeconfig copy.json config set-credentials other --token=x && kubectl --kubeconfig copy.json config set-context other --cluster=other --user=other",
    'Cluster "other" set.\nUser "other" set.\nContext "other" created.',
  ),
  ok(
    "kubectl --kubeconfig copy.json config rename-context other another && kubectl --kubeconfig copy.json config use-context another",
    /^Switched to context "another"\.$/m,
  ),
  fails(1, "kubectl --kubeconfig copy.json get pods", /connection to the server 127\.0\.0\.1:1 was refused/),
  ok("kubectl --kubeconfig copy.json config get-users", /^other$/m),
  ok("kubectl --kubeconfig copy.json config unset users.other", 'Property "users.other" unset.'),
  ok("kubectl --kubeconfig copy.json config delete-cluster other", /^deleted cluster other from /),
];
