/** Programs in pods: started by hand, attached to, and looked into. */
import { type Step, fails, ok, soon } from "../step.ts";

export const insideSteps: Step[] = [
  ok(
    "kubectl create namespace inside && kubectl config set-context --current --namespace=inside",
    /namespace\/inside created/,
  ),
  ok(
    "kubectl run tool --image=busybox --labels=app=tool --env=A=b --port=80 --expose -- sleep 3600",
    "service/tool created\npod/tool created",
  ),
  ok("kubectl wait --for=condition=Ready pod/tool --timeout=90s", "pod/tool condition met"),
  ok(
    "kubectl run once --image=busybox --restart=Never --rm -i --command -- echo hello",
    /^hello\n(pod "once" deleted|)/m,
  ),
  ok("kubectl get pod once --ignore-not-found", ""),
  ok("kubectl run said --image=busybox --restart=Never --command -- echo hello", "pod/said created"),
  soon("kubectl logs said", "hello"),
  ok("kubectl logs said --tail=1 --timestamps", /^\d{4}-\d\d-\d\dT\S+Z hello$/m),
  ok("kubectl logs said --limit-bytes=2", "he"),
  ok("kubectl get --raw /api/v1/namespaces/inside/pods/said/log", "hello"),
  fails(1, "kubectl logs tool -p", /previous terminated container "tool" in pod "tool" not found/),
  fails(1, "kubectl logs job/none", /jobs\.batch "none" not found/),
  ok("kubectl exec tool -c tool -- sh -c 'echo $A'", "b"),
  ok("kubectl debug tool --image=busybox -c look --attach=false --profile=general -- sleep 3600", /[^]*/),
  soon(
    "kubectl get pod tool -o jsonpath='{.status.ephemeralContainerStatuses[*].state}'",
    /^\{"running":\{"startedAt":"[^"]+"\}\}$/,
  ),
  ok(
    "kubectl debug tool --image=busybox --copy-to=copy --set-image='*=busybox:2' --attach=false --profile=general -- sleep 3600 >/dev/null 2>&1; kubectl get pod copy -o jsonpath='{.spec.containers[0].image} {.metadata.labels}'",
    /^busybox:2 ?$/,
  ),
  ok(
    "kubectl debug node/node-1 --image=busybox --attach=false --profile=general",
    /^Creating debugging pod node-debugger-node-1-[a-z0-9]{5} with container debugger on node node-1\.$/m,
  ),
  soon("kubectl top pod tool --containers --no-headers", /^tool +tool +\d+m +\d+Mi *$/m),
  soon("kubectl top pods -A --sum --sort-by=cpu", /^NAMESPACE +NAME +CPU\(cores\) +MEMORY\(bytes\)/),
  ok(
    "kubectl expose pod tool --name=outside --type=NodePort --port=90 --protocol=UDP && kubectl get service outside --no-headers",
    /^outside +NodePort +[\d.]+ +<none> +90:3\d+\/UDP /m,
  ),
  ok(
    "kubectl expose pod tool --name=sticky --port=80 --session-affinity=ClientIP --dry-run=server -o jsonpath='{.spec.sessionAffinityConfig}'",
    '{"clientIP":{"timeoutSeconds":10800}}',
  ),
  ok(
    "kubectl cluster-info dump --output-directory=dump --namespaces=inside && ls dump/inside/tool",
    /logs\.txt$/m,
  ),
  ok(
    "kubectl drain node-1 --dry-run=server --ignore-daemonsets --delete-emptydir-data --force",
    /^node\/node-1 cordoned \(server dry run\)$/m,
    /^node\/node-1 drained \(server dry run\)$/m,
  ),
  ok("kubectl get node node-1 -o jsonpath='{.spec.unschedulable}'", ""),
  ok(
    "kubectl delete namespace inside --wait=false && kubectl config set-context --current --namespace=shop",
    /namespace "inside" deleted/,
  ),
];
