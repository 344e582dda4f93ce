/** Small changes: patch, label, annotate, set, scale, replace, edit. */
import { type Step, fails, ok, soon } from "../step.ts";
import type { KubectlMinor } from "./steps.ts";

export function changeSteps(minor: KubectlMinor): Step[] {
  return [...patches, ...metadata, ...settings, ...scaling(minor), ...replacing(minor)];
}

const patches: Step[] = [
  ok(
    `kubectl patch deployment web -p '{"spec":{"template":{"spec":{"containers":[{"name":"nginx","env":[{"name":"A","value":"1"}]}]}}}}'`,
    "deployment.apps/web patched",
  ),
  ok(
    "kubectl get deployment web -o jsonpath='{.spec.template.spec.containers[0].image} {.spec.template.spec.containers[0].env}'",
    'nginx:1.27 [{"name":"A","value":"1"}]',
  ),
  ok(
    `kubectl patch deployment web -p '{"spec":{"template":{"spec":{"containers":[{"name":"nginx","env":[{"name":"A","$patch":"delete"}]}]}}}}'`,
    "deployment.apps/web patched",
  ),
  ok(
    `kubectl patch configmap settings --type=merge -p '{"data":{"color":null,"shape":"round"}}'`,
    "configmap/settings patched",
  ),
  ok("kubectl get configmap settings -o jsonpath='{.data}'", '{"shape":"round","size":"10"}'),
  ok(
    `kubectl patch configmap settings --type=merge -p '{"data":{"shape":"round"}}'`,
    "configmap/settings patched (no change)",
  ),
  ok(
    `kubectl patch configmap settings --type=json -p '[{"op":"test","path":"/data/size","value":"10"},{"op":"replace","path":"/data/size","value":"11"}]'`,
    "configmap/settings patched",
  ),
  fails(
    1,
    `kubectl patch configmap settings --type=json -p '[{"op":"test","path":"/data/size","value":"10"}]'`,
    /^The request is invalid: the server rejected our request due to an error in our request$/m,
  ),
  fails(
    1,
    `kubectl patch configmap settings --type=json -p '[{"op":"remove","path":"/data/none"}]'`,
    /^The request is invalid: the server rejected our request due to an error in our request$/m,
  ),
  ok(
    `kubectl patch deployment web --subresource=scale --type=merge -p '{"spec":{"replicas":2}}'`,
    /web patched$/m,
  ),
  soon("kubectl get deployment web -o jsonpath='{.spec.replicas}/{.status.replicas}'", "2/2"),
  ok(
    `kubectl patch node node-1 --subresource=status --type=merge -p '{"status":{"capacity":{"example.com/boats":"3"}}}'`,
    "node/node-1 patched",
  ),
  ok(
    `kubectl patch configmap settings --type=merge --dry-run=server -p '{"data":{"a":"b"}}' -o jsonpath='{.data.a}'`,
    "b",
  ),
  fails(
    1,
    `kubectl patch deployment web -p '{"spec":{"replicas":-1}}'`,
    'The Deployment "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
  ),
];

const metadata: Step[] = [
  ok("kubectl label deployment web tier=front", "deployment.apps/web labeled"),
  fails(
    1,
    "kubectl label deployment web tier=back",
    "error: 'tier' already has a value (front), and --overwrite is false",
  ),
  ok("kubectl label deployment web tier=back --overwrite", "deployment.apps/web labeled"),
  ok("kubectl label deployment web tier=back --overwrite", "deployment.apps/web not labeled"),
  ok("kubectl label deployment web --list", /^tier=back$/m),
  ok("kubectl label deployment web tier-", "deployment.apps/web unlabeled"),
  ok("kubectl label pods -l app=web checked=yes", /^(pod\/web-\S+ labeled\n){2}/),
  ok("kubectl label configmap --all batch=1", /^configmap\/settings labeled$/m),
  fails(
    1,
    "kubectl label configmap settings batch=2 --overwrite --resource-version=1",
    /Operation cannot be fulfilled on configmaps "settings": the object has been modified; please apply your changes to the latest version and try again/,
  ),
  fails(1, "kubectl label configmap settings 'a=b c'", /Invalid value: "b c"|invalid label value: "a=b c"/),
  ok(
    "kubectl annotate deployment web note='for the shop' kubernetes.io/change-cause=first",
    "deployment.apps/web annotated",
  ),
  ok("kubectl annotate deployment web note=changed --overwrite", "deployment.apps/web annotated"),
  ok("kubectl annotate deployment web note-", /^deployment\.apps\/web annotated$/m),
];

const settings: Step[] = [
  ok("kubectl set image deployment/web nginx=nginx:1.28", "deployment.apps/web image updated"),
  fails(
    1,
    "kubectl set image deployment/web other=nginx:1.28",
    'error: unable to find container named "other"',
  ),
  ok("kubectl set env deployment/web MODE=test", "deployment.apps/web env updated"),
  ok("kubectl set env deployment/web --from=configmap/settings", /^deployment\.apps\/web env updated$/m),
  ok(
    "kubectl set env deployment/web --list",
    /^# (Deployment web|deployments\/web), container nginx$/m,
    /^MODE=test$/m,
    /^# SIZE from configmap settings, key size$/m,
  ),
  ok("kubectl set env deployment/web MODE- SIZE- SHAPE-", "deployment.apps/web env updated"),
  ok(
    "kubectl set resources deployment web --requests=cpu=10m --limits=cpu=200m,memory=64Mi",
    "deployment.apps/web resource requirements updated",
  ),
  ok("kubectl set serviceaccount deployment web bot", "deployment.apps/web serviceaccount updated"),
  ok("kubectl set selector service api app=web", "service/api selector updated"),
  ok(
    "kubectl set subject rolebinding reader --user=jane",
    "rolebinding.rbac.authorization.k8s.io/reader subjects updated",
  ),
  ok("kubectl rollout status deployment/web --timeout=90s", /successfully rolled out/),
  ok(
    "kubectl get pods -l app=web -o jsonpath='{.items[*].spec.serviceAccountName} {.items[*].status.qosClass}'",
    /^(bot )+(Burstable ?)+$/,
  ),
];

function scaling(minor: KubectlMinor): Step[] {
  const cpu = minor >= 35 ? "--cpu=80%" : "--cpu-percent=80";
  return [
    ok("kubectl scale deployment web --replicas=5", "deployment.apps/web scaled"),
    ok(
      "kubectl wait deployment/web --for=jsonpath='{.status.readyReplicas}'=5 --timeout=90s",
      "deployment.apps/web condition met",
    ),
    fails(
      1,
      "kubectl scale deployment web --replicas=1 --current-replicas=9",
      "error: Expected replicas to be 9, was 5",
    ),
    ok("kubectl scale deployment web --replicas=3 --current-replicas=5", "deployment.apps/web scaled"),
    ok(
      "kubectl scale statefulset data --replicas=1 && kubectl rollout status statefulset data --timeout=90s",
      /statefulset\.apps\/data scaled/,
    ),
    soon("kubectl get pods -l app=data -o name", "pod/data-0"),
    ok(
      `kubectl autoscale deployment web --min=3 --max=5 ${cpu}`,
      "horizontalpodautoscaler.autoscaling/web autoscaled",
    ),
    ok(
      "kubectl get hpa web --no-headers",
      /^web +Deployment\/web +(cpu: )?(<unknown>|\d+%)\/80% +3 +5 +\d+ +\S+$/m,
    ),
    ok("kubectl delete hpa web", /deleted/),
  ];
}

function replacing(minor: KubectlMinor): Step[] {
  const where = minor >= 35 ? " from shop namespace" : "";
  return [
    ok(
      "kubectl get configmap settings -o yaml > old.yaml; sed 's/round/square/' old.yaml | kubectl replace -f -",
      "configmap/settings replaced",
    ),
    fails(
      1,
      "kubectl replace -f old.yaml",
      'Error from server (Conflict): error when replacing "old.yaml": Operation cannot be fulfilled on configmaps "settings": the object has been modified; please apply your changes to the latest version and try again',
    ),
    ok(
      "kubectl replace --force -f colors.yaml",
      `configmap "colors" deleted${where}\nconfigmap/colors replaced`,
    ),
    ok(
      "KUBE_EDITOR='sed -i s/square/triangle/' kubectl edit configmap settings",
      "configmap/settings edited",
    ),
    ok("KUBE_EDITOR=true kubectl edit configmap settings", "Edit cancelled, no changes made."),
    ok("kubectl get configmap settings -o jsonpath='{.data.shape}'", "triangle"),
    ok(
      "kubectl get configmap settings -o json | jq '.metadata.generateName=\"copy-\" | del(.metadata.name, .metadata.resourceVersion, .metadata.uid)' | kubectl create -f -",
      /^configmap\/copy-[bcdfghjklmnpqrstvwxz2456789]{5} created$/m,
    ),
  ];
}
