import type { Kind, KubeObject } from "@bowline/api";

/** The few built-in kinds that the runtime itself writes; a user's program need not load the tables of all of them. */

/** Source: coordination.k8s.io/v1 Lease. */
export interface LeaseObject extends KubeObject {
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

export const leaseKind: Kind<LeaseObject> = {
  group: "coordination.k8s.io",
  version: "v1",
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  listKind: "LeaseList",
  plural: "leases",
  singular: "lease",
  shortNames: [],
  categories: [],
  scope: "Namespaced",
};

/** Source: events.k8s.io/v1 Event. */
export interface EventObject extends KubeObject {
  eventTime?: string;
  type?: string;
  reason?: string;
  action?: string;
  note?: string;
  reportingController?: string;
  reportingInstance?: string;
  regarding?: object;
  related?: object;
  series?: { count: number; lastObservedTime: string };
}

export const eventKind: Kind<EventObject> = {
  group: "events.k8s.io",
  version: "v1",
  apiVersion: "events.k8s.io/v1",
  kind: "Event",
  listKind: "EventList",
  plural: "events",
  singular: "event",
  shortNames: ["ev"],
  categories: [],
  scope: "Namespaced",
};
