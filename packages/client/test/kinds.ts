import type { Kind, KubeObject, ObjectMeta } from "@bowline/api";

export interface Widget extends KubeObject {
  apiVersion: "example.com/v1";
  kind: "Widget";
  spec: { size: number; color: string; parts: string[]; limits?: { high: number; low?: number } };
  status?: { ready?: boolean };
}

/** What a write may send: `color` has a default. */
export interface NewWidget {
  apiVersion?: "example.com/v1";
  kind?: "Widget";
  metadata: ObjectMeta;
  spec: { size: number; color?: string; parts?: string[]; limits?: { high: number; low?: number } };
  status?: { ready?: boolean };
}

function kind<Read extends KubeObject, Create>(
  name: string,
  plural: string,
  scope: "Namespaced" | "Cluster",
): Kind<Read, Create> {
  return {
    group: "example.com",
    version: "v1",
    apiVersion: "example.com/v1",
    kind: name,
    listKind: `${name}List`,
    plural,
    singular: name.toLowerCase(),
    shortNames: [],
    categories: [],
    scope,
  };
}

export const Widget: Kind<Widget, NewWidget> = kind("Widget", "widgets", "Namespaced");

/** A cluster-scoped kind. */
export const Zone: Kind<KubeObject> = kind("Zone", "zones", "Cluster");
