import type { Condition, Kind, KubeObject } from "@bowline/api";

/** A custom kind for tests. */
export interface WidgetObject extends KubeObject {
  spec: { size?: number; color?: string };
  status?: { parts?: number; conditions?: Condition[] };
}

function kind<T extends KubeObject>(
  group: string,
  name: string,
  scope: "Namespaced" | "Cluster" = "Namespaced",
): Kind<T> {
  const plural = `${name.toLowerCase()}s`;
  return {
    group,
    version: "v1",
    apiVersion: group === "" ? "v1" : `${group}/v1`,
    kind: name,
    listKind: `${name}List`,
    plural,
    singular: name.toLowerCase(),
    shortNames: [],
    categories: [],
    scope,
  };
}

export const Widget: Kind<WidgetObject> = kind("example.com", "Widget");

export interface PartObject extends KubeObject {
  spec?: { index?: number; color?: string };
  status?: { isReady?: boolean; conditions?: Condition[] };
}
export const Part: Kind<PartObject> = kind("example.com", "Part");

export interface ConfigMapObject extends KubeObject {
  data?: Record<string, string>;
}
export const ConfigMap: Kind<ConfigMapObject> = kind("", "ConfigMap");

export interface ClusterThingObject extends KubeObject {
  spec?: { value?: number };
}
export const ClusterThing: Kind<ClusterThingObject> = kind("example.com", "ClusterThing", "Cluster");

export const widgets = "/apis/example.com/v1/namespaces/default/widgets";
export const parts = "/apis/example.com/v1/namespaces/default/parts";
export const configMaps = "/api/v1/namespaces/default/configmaps";

export function widget(
  name: string,
  spec: WidgetObject["spec"] = {},
): WidgetObject & { [field: string]: unknown } {
  return { apiVersion: "example.com/v1", kind: "Widget", metadata: { name }, spec };
}

export function part(
  name: string,
  spec: NonNullable<PartObject["spec"]> = {},
): PartObject & { [field: string]: unknown } {
  return { apiVersion: "example.com/v1", kind: "Part", metadata: { name }, spec };
}
