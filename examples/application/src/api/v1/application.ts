import { type KindOf, defineKind } from "@bowline/api";
import * as k8s from "@bowline/api/k8s";
import * as z from "zod";

export const Application = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Application",
  shortNames: ["app"],
  description: "A web application that runs in several pods",
  spec: z.object({
    replicas: z.int32().min(1).max(10).default(1).describe("How many pods to run"),
    image: z.string().min(1).describe("The container image, without a tag"),
    version: z.string().optional().describe("The tag of the image; latest when absent"),
  }),
  status: z.object({
    availableReplicas: z.int32().optional().describe("How many pods are ready"),
    conditions: k8s.conditions(),
  }),
  printerColumns: [
    { name: "Image", type: "string", jsonPath: ".spec.image" },
    { name: "Version", type: "string", jsonPath: ".spec.version" },
    { name: "Desired", type: "integer", jsonPath: ".spec.replicas" },
    { name: "Available", type: "integer", jsonPath: ".status.availableReplicas" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
});
export type Application = KindOf<typeof Application>;
