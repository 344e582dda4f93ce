/** Watching and waiting. A watch is opened in the background, and its output read until it holds what must come. */
import { type Step, fails, ok } from "../step.ts";
import type { KubectlMinor } from "./steps.ts";

/** Runs `watch` in the background until `changes`, repeated, have made it print `pattern`, or 20 s have passed. */
function watching(watch: string, changes: string, pattern: string): string {
  return `${watch} > watch.txt 2>&1 & pid=$!
for i in $(seq 300); do
  ${changes}
  grep -qE '${pattern}' watch.txt && break
  sleep 0.2
done
kill $pid; cat watch.txt`;
}

export function watchSteps(minor: KubectlMinor): Step[] {
  return [
    ok(
      watching(
        "kubectl get configmaps --watch-only -o name",
        "kubectl label configmap settings round=$i --overwrite >/dev/null",
        "configmap/settings",
      ),
      /^(configmap\/settings\n)+$/,
    ),
    ok(
      watching(
        "kubectl get configmaps -w --output-watch-events -l watched=yes",
        "kubectl create configmap watched >/dev/null; kubectl label configmap watched watched=yes >/dev/null; kubectl annotate configmap watched a=b >/dev/null; kubectl label configmap watched watched- >/dev/null; kubectl delete configmap watched >/dev/null",
        "DELETED",
      ),
      /^EVENT +NAME +DATA +AGE$/m,
      /^ADDED +watched +0 +\S+\n(MODIFIED +watched +0 +\S+\n)?DELETED +watched +0 +\S+$/m,
    ),
    ok(
      watching(
        "kubectl get pods -w -l app=watched",
        "kubectl run watched-$i --image=nginx -l app=watched >/dev/null",
        "watched-[2-9][0-9]* +1/1 +Running",
      ),
      /^NAME +READY +STATUS +RESTARTS +AGE$/m,
      /^watched-\d+ +0\/1 +(Pending|ContainerCreating) +0 +\S+$/m,
      /^watched-\d+ +1\/1 +Running +0 +\S+$/m,
    ),
    ok(
      watching(
        "kubectl get configmap settings -w -o json --output-watch-events",
        "kubectl label configmap settings round=$i --overwrite >/dev/null",
        "MODIFIED",
      ),
      /"type": ?"ADDED"/,
      /"type": ?"MODIFIED"/,
    ),
    ok(
      watching("kubectl events -w", "kubectl run event-$i --image=nginx >/dev/null", "Pod/event-"),
      /Pod\/event-\d+/,
    ),
    ok(
      watching(
        "kubectl get --raw '/api/v1/namespaces/shop/configmaps?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=2'",
        "true",
        "k8s.io/initial-events-end",
      ),
      /"type":"BOOKMARK"/,
    ),
    ok(
      "kubectl wait --for=condition=Available deployment/web deployment/roll --timeout=90s",
      "deployment.apps/web condition met\ndeployment.apps/roll condition met",
    ),
    ok(
      "kubectl wait --for=condition=Ready pods -l app=web --timeout=90s",
      /^(pod\/web-\S+ condition met\n){3}$/,
    ),
    ok(
      "kubectl wait --for=jsonpath='{.status.phase}'=Running pod/watched-1 --timeout=90s",
      "pod/watched-1 condition met",
    ),
    fails(
      1,
      "kubectl wait --for=condition=Nothing configmap/settings --timeout=1s",
      "error: timed out waiting for the condition on configmaps/settings",
    ),
    fails(
      1,
      "kubectl wait --for=condition=Ready pod/nope --timeout=90s",
      'Error from server (NotFound): pods "nope" not found',
    ),
    ok(
      "kubectl delete pod watched-1 --wait=false >/dev/null; kubectl wait --for=delete pod/watched-1 --timeout=90s; kubectl get pod watched-1 --ignore-not-found",
      /^(pod\/watched-1 condition met\n)?$/,
    ),
    ...(minor >= 35
      ? [
          ok(
            "(sleep 1; kubectl create configmap late >/dev/null) & kubectl wait --for=create configmap/late --timeout=90s",
            "configmap/late condition met",
          ),
        ]
      : []),
  ];
}
