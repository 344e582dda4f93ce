/** The kind of the measurements of the control loop: that of the reference figures, about 700 bytes an object. */
import { type KindOf, defineKind } from "@bowline/api";
import * as z from "zod";

export const Application = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Application",
  spec: z.object({
    replicas: z.int32().min(0).max(1000).default(1),
    image: z.string().min(1),
    version: z.string().optional(),
  }),
  status: z.object({ availableReplicas: z.int32().optional() }),
});
export type Application = KindOf<typeof Application>;

/** The `i`th object, as it is sent. */
export function applicationObject(i: number): object {
  return {
    apiVersion: Application.apiVersion,
    kind: Application.kind,
    metadata: {
      name: `app-${String(i).padStart(6, "0")}`,
      labels: { app: `g${i % 100}` },
      annotations: { "bench/t0": String((performance.timeOrigin + performance.now()) * 1e6) },
    },
    spec: { replicas: (i % 10) + 1, image: `registry.example/app:${i}`, version: "1.2.3" },
  };
}
