/** Inside pods, and nodes that are emptied. */
import { type Step, fails, ok, soon } from "../step.ts";

export const nodeSteps: Step[] = [
  ok("kubectl logs tool", ""),
  soon("kubectl logs deployment/web --tail=5", /[^]*/),
  ok("kubectl logs -l app=web --prefix --tail=1", /[^]*/),
  fails(1, "kubectl logs tool -c other", "error: container other is not valid for pod tool"),
  ok("kubectl exec tool -- echo hello", "hello"),
  ok("echo typed | kubectl exec -i tool -- cat", "typed"),
  fails(3, "kubectl exec tool -- sh -c 'exit 3'", /command terminated with exit code 3/),
  ok(
    "kubectl cp colors.yaml tool:/tmp/colors.yaml && kubectl cp tool:/tmp/colors.yaml back.yaml && cmp colors.yaml back.yaml",
    /^(tar: .*\n)?$/,
  ),
  ok(
    `kubectl port-forward service/web :80 > forward.txt 2>&1 & pid=$!
for i in $(seq 600); do grep -q 'Forwarding from 127' forward.txt && break; sleep 0.1; done; kill $pid; cat forward.txt`,
    /^Forwarding from 127\.0\.0\.1:\d+ -> 80$/m,
  ),
  ok("kubectl cordon node-1", "node/node-1 cordoned"),
  ok("kubectl cordon node-1", "node/node-1 already cordoned"),
  ok("kubectl get node node-1 --no-headers", /^node-1 +Ready,SchedulingDisabled /),
  ok("kubectl taint node node-1 role=harbour:NoSchedule", "node/node-1 tainted"),
  fails(
    1,
    "kubectl taint node node-1 role=harbour:NoSchedule",
    /node node-1 already has role taint\(s\) with same effect\(s\) and --overwrite is false/,
  ),
  ok("kubectl taint node node-1 role:NoSchedule-", "node/node-1 untainted"),
  fails(
    1,
    "kubectl drain node-2 --timeout=90s",
    /^error: unable to drain node "node-2" due to error: ?\[?.*cannot delete/m,
  ),
  ok("kubectl uncordon node-1 node-2", /^node\/node-1 uncordoned$/m),
  ok(
    "kubectl drain node-1 --ignore-daemonsets --delete-emptydir-data --force --timeout=110s",
    /^node\/node-1 drained$/m,
    /^evicting pod |^node\/node-1 cordoned/m,
  ),
  ok(
    "kubectl get pods -A --field-selector spec.nodeName=node-1 -o jsonpath='{.items[*].metadata.labels.app}'",
    /^(agent)?$/,
  ),
  soon("kubectl get pods -l app=web --field-selector spec.nodeName=node-2 -o name | grep -c .", "3"),
  ok("kubectl uncordon node-1", "node/node-1 uncordoned"),
];
