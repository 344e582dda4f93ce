import { describe, expect, it } from "vitest";
import type { ManagedFieldsEntry } from "../object/object.ts";
import { setOf } from "../../test/apply-notation.ts";
import { parentManagedFields, scaleManagedFields } from "./scale-managers.ts";

/** `operation manager[/subresource] version fields [time]` */
function entry(line: string): ManagedFieldsEntry {
  const [operation, name = "", apiVersion = "", names = "", time] = line.split(" ");
  const [manager = "", subresource] = name.split("/");
  const paths = names
    .split(",")
    .map((path) => (path === "replicas" || path === "selector" ? `.spec.${path}` : path));
  return {
    manager,
    operation: operation as "Apply" | "Update",
    apiVersion,
    ...(time === undefined ? {} : { time: `2013-02-03T00:00:0${time}Z` }),
    fieldsType: "FieldsV1",
    fieldsV1: setOf(...paths) as never,
    ...(subresource === undefined ? {} : { subresource }),
  };
}

const paths = {
  "apps/v1": ["spec", "replicas"],
  "apps/v1beta1": ["spec", "replicas"],
  "apps/v2": ["spec", "count"],
  "apps/v3": undefined,
};

describe("scaleManagedFields", () => {
  it.each([
    [
      "shows only owners of replicas",
      ["Apply m1 apps/v1 .spec.another", "Apply m2 apps/v1 replicas,selector 1"],
      ["Apply m2 autoscaling/v1 replicas 1"],
    ],
    [
      "shows all of them",
      ["Apply m1 apps/v1 replicas", "Apply m2 apps/v1 replicas", "Apply m3/scale apps/v1 replicas"],
      [
        "Apply m1 autoscaling/v1 replicas",
        "Apply m2 autoscaling/v1 replicas",
        "Apply m3/scale autoscaling/v1 replicas",
      ],
    ],
    [
      "knows where each version has them",
      ["Apply m1 apps/v2 .spec.count"],
      ["Apply m1 autoscaling/v1 replicas"],
    ],
    ["leaves out unknown versions", ["Apply m1 apps/v10 replicas"], undefined],
    ["leaves out versions without scale", ["Apply m1 apps/v3 replicas"], undefined],
  ])("%s", (_name, parent, expected) => {
    expect(scaleManagedFields(parent.map(entry), paths)).toEqual(expected?.map(entry));
  });
});

describe("parentManagedFields", () => {
  const to = (parent: string[], scale: string[], apiVersion = "apps/v1"): ManagedFieldsEntry[] | undefined =>
    parentManagedFields(parent.map(entry), scale.map(entry), { apiVersion, paths }) as
      | ManagedFieldsEntry[]
      | undefined;

  it.each([
    [
      "an apply loses replicas to an update",
      ["Apply test apps/v1 replicas,selector"],
      ["Update scale/scale autoscaling/v1 replicas"],
      ["Apply test apps/v1 selector", "Update scale/scale apps/v1 replicas"],
    ],
    [
      "an apply loses replicas to an apply",
      ["Apply test apps/v1 replicas,selector"],
      ["Apply scale/scale autoscaling/v1 replicas"],
      ["Apply scale/scale apps/v1 replicas", "Apply test apps/v1 selector"],
    ],
    [
      "an update loses replicas to an update",
      ["Update test apps/v1 replicas,selector"],
      ["Update scale/scale autoscaling/v1 replicas"],
      ["Update scale/scale apps/v1 replicas", "Update test apps/v1 selector"],
    ],
    [
      "the same name is another manager through scale",
      ["Apply test apps/v1 replicas,selector"],
      ["Apply test/scale autoscaling/v1 replicas"],
      ["Apply test apps/v1 selector", "Apply test/scale apps/v1 replicas"],
    ],
    [
      "an entry that only had replicas goes",
      ["Apply test apps/v1 replicas"],
      ["Update hpa/scale autoscaling/v1 replicas"],
      ["Update hpa/scale apps/v1 replicas"],
    ],
    [
      "an applier that still owns replicas keeps its entry",
      ["Apply test apps/v1 replicas,selector 1", "Update other apps/v1 .spec.x 2"],
      ["Apply test autoscaling/v1 replicas 1"],
      ["Apply test apps/v1 replicas,selector 1", "Update other apps/v1 .spec.x 2"],
    ],
    [
      "an entry that only has replicas loses its time by way of the scale",
      ["Update hpa/scale apps/v1 replicas 1"],
      ["Update hpa/scale autoscaling/v1 replicas 1"],
      ["Update hpa/scale apps/v1 replicas"],
    ],
    ["entries of unknown versions go", ["Apply m apps/v10 .spec.x"], [], undefined],
    [
      "entries of versions without scale stay",
      ["Apply m apps/v3 replicas"],
      [],
      ["Apply m apps/v3 replicas"],
    ],
    [
      "a scale that owns something else owns nothing here",
      [],
      ["Update m/scale autoscaling/v1 .status.replicas"],
      undefined,
    ],
  ])("%s", (_name, parent, scale, expected) => {
    expect(to(parent, scale)).toEqual(expected?.map(entry));
  });

  it("puts replicas where the written version has them", () => {
    expect(
      to(["Apply a apps/v1 replicas,selector"], ["Update h/scale autoscaling/v1 replicas"], "apps/v2"),
    ).toEqual(["Apply a apps/v1 selector", "Update h/scale apps/v2 .spec.count"].map(entry));
  });
});
