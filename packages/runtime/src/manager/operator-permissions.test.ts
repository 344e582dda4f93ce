import { Deployment } from "@bowline/api/apps/v1";
import { Job } from "@bowline/api/batch/v1";
import { ConfigMap, Pod, Secret } from "@bowline/api/core/v1";
import { describe, expect, it } from "vitest";
import { defineController } from "../controller/define-controller.ts";
import { watch } from "../controller/event-handler.ts";
import { defineOperator } from "./operator.ts";
import { operatorPermissions } from "./operator-permissions.ts";

const all = ["create", "delete", "get", "list", "patch", "update", "watch"];
const events = { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] };
const reconcile = (): void => {};

describe("operatorPermissions", () => {
  it("lets a controller read what it is for and watches, and do everything with what it owns", () => {
    const controller = defineController(Deployment, {
      owns: [Job, ConfigMap],
      watches: [watch(Secret, () => undefined)],
      reconcile,
    });
    expect(operatorPermissions(defineOperator({ name: "a", kinds: [], controllers: [controller] }))).toEqual([
      { apiGroups: [""], resources: ["configmaps"], verbs: all },
      { apiGroups: [""], resources: ["secrets"], verbs: ["get", "list", "watch"] },
      { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get", "list", "watch"] },
      { apiGroups: ["apps"], resources: ["deployments/finalizers"], verbs: ["update"] },
      { apiGroups: ["apps"], resources: ["deployments/status"], verbs: ["get", "patch", "update"] },
      { apiGroups: ["batch"], resources: ["jobs"], verbs: all },
      events,
    ]);
  });

  it("lets a controller with a cleanup write the finalizer", () => {
    const controller = defineController(Pod, { reconcile, cleanup: reconcile });
    expect(operatorPermissions({ name: "a", kinds: [], controllers: [controller] })).toContainEqual({
      apiGroups: [""],
      resources: ["pods"],
      verbs: ["get", "list", "patch", "update", "watch"],
    });
  });

  it("adds what is declared, as it is", () => {
    const permission = { apiGroups: [""], resources: ["pods/exec"], verbs: ["create"] };
    expect(operatorPermissions({ name: "a", kinds: [], controllers: [], permissions: [permission] })).toEqual(
      [permission],
    );
  });
});
