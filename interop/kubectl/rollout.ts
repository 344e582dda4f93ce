/** Revisions of a Deployment. */
import { type Step, fails, ok, soon } from "../step.ts";

export const rolloutSteps: Step[] = [
  ok(
    "kubectl create deployment roll --image=nginx:1.25 --replicas=2 && kubectl rollout status deployment roll --timeout=90s",
    /successfully rolled out/,
  ),
  ok(
    "kubectl annotate deployment roll kubernetes.io/change-cause='start with 1.25'",
    "deployment.apps/roll annotated",
  ),
  ok(
    "kubectl set image deployment/roll nginx=nginx:1.26 && kubectl rollout status deployment roll --timeout=90s",
    /successfully rolled out/,
  ),
  soon(
    "kubectl rollout history deployment roll",
    /^deployment\.apps\/roll *\nREVISION +CHANGE-CAUSE\n1 +start with 1\.25\n2 +start with 1\.25$/m,
  ),
  ok(
    "kubectl rollout history deployment roll --revision=1",
    /^deployment\.apps\/roll with revision #1\nPod Template:/,
    /^ +Image:\tnginx:1\.25$/m,
  ),
  ok("kubectl rollout undo deployment roll", "deployment.apps/roll rolled back"),
  ok("kubectl rollout status deployment roll --timeout=90s", /successfully rolled out/),
  ok(
    "kubectl get deployment roll -o jsonpath='{.spec.template.spec.containers[0].image} {.metadata.annotations.deployment\\.kubernetes\\.io/revision}'",
    "nginx:1.25 3",
  ),
  ok("kubectl rollout undo deployment roll --to-revision=2", "deployment.apps/roll rolled back"),
  fails(
    1,
    "kubectl rollout undo deployment roll --to-revision=77",
    "error: unable to find specified revision 77 in history",
  ),
  ok("kubectl rollout status deployment roll --timeout=90s", /successfully rolled out/),
  ok("kubectl rollout restart deployment roll", "deployment.apps/roll restarted"),
  ok("kubectl rollout status deployment roll --timeout=90s", /successfully rolled out/),
  ok(
    "kubectl get deployment roll -o jsonpath='{.spec.template.metadata.annotations}'",
    /^\{"kubectl\.kubernetes\.io\/restartedAt":"[^"]+"\}$/,
  ),
  ok("kubectl rollout pause deployment roll", "deployment.apps/roll paused"),
  fails(1, "kubectl rollout pause deployment roll", 'error: deployments.apps "roll" is already paused'),
  ok("kubectl set image deployment/roll nginx=nginx:1.29", "deployment.apps/roll image updated"),
  soon("kubectl get deployment roll -o jsonpath='{.status.updatedReplicas}'", /^0?$/),
  ok("kubectl rollout resume deployment roll", "deployment.apps/roll resumed"),
  ok("kubectl rollout status deployment roll --timeout=90s", /successfully rolled out/),
  soon("kubectl get rs -l app=roll --no-headers | awk '{print $2}' | sort | tr '\\n' ' '", /^(0 )+2 $/),
  ok(
    "kubectl rollout history statefulset/data",
    /^statefulset\.apps\/data *\nREVISION +CHANGE-CAUSE\n1 +<none>$/m,
  ),
  ok(
    "kubectl rollout restart daemonset/agent && kubectl rollout status daemonset/agent --timeout=90s",
    /successfully rolled out/,
  ),
  ok("kubectl rollout history daemonset/agent", /^1 +<none>\n2 +<none>$/m),
  ok(
    "kubectl set image statefulset/data '*=postgres:99' && kubectl rollout status statefulset/data --timeout=90s",
    /complete/,
  ),
  ok("kubectl rollout history statefulset/data --revision=2", /^ +Image:\tpostgres:99$/m),
  ok(
    "kubectl rollout undo statefulset/data --to-revision=1 && kubectl rollout status statefulset/data --timeout=90s",
    /^statefulset\.apps\/data rolled back$/m,
  ),
  soon("kubectl rollout history statefulset/data", /^2 +<none>\n3 +<none>$/m),
  ok(
    "kubectl rollout undo daemonset/agent --dry-run=server",
    /rolled back \(server dry run\)|^Pod Template:/m,
  ),
  ok(
    "kubectl rollout undo daemonset/agent && kubectl rollout status daemonset/agent --timeout=90s",
    /^daemonset\.apps\/agent rolled back$/m,
  ),
  soon("kubectl rollout history daemonset/agent", /^2 +<none>\n3 +<none>$/m),
  ok(
    "kubectl get controllerrevisions --no-headers",
    /^agent-\w+ +daemonset\.apps\/agent +3 /m,
    /^data-\w+ +statefulset\.apps\/data +3 /m,
  ),
  fails(1, "kubectl rollout restart pod tool", 'error: pods "tool" restarting is not supported'),
  fails(1, "kubectl rollout history pod tool", 'error: no history viewer has been implemented for "Pod"'),
  ok("kubectl rollout pause deployment roll", "deployment.apps/roll paused"),
  fails(
    1,
    "kubectl rollout undo deployment roll",
    /you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume'/,
  ),
  ok("kubectl rollout resume deployment roll", "deployment.apps/roll resumed"),
  fails(1, "kubectl rollout resume deployment roll", 'error: deployments.apps "roll" is not paused'),
  fails(
    1,
    "kubectl rollout status deployment roll --revision=77",
    /desired revision \(77\) is different from the running revision/,
  ),
];
