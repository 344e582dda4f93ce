import { type KindOf, defineKind } from "@bowline/api";
import { ConfigMap } from "@bowline/api/core/v1";
import { defineController, defineOperator } from "@bowline/runtime";
import * as z from "zod";

/** Asks for a greeting. */
export const Hello = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Hello",
  plural: "hellos",
  spec: z.object({ who: z.string().default("world") }),
});
export type Hello = KindOf<typeof Hello>;

/** Writes the greeting into a ConfigMap of the same name. */
export const helloController = defineController(Hello, {
  owns: [ConfigMap],
  async reconcile(hello, ctx) {
    await ctx.apply(ConfigMap, {
      metadata: { name: hello.metadata.name ?? "" },
      data: { greeting: `Hello, ${hello.spec.who}!` },
    });
  },
});

export default defineOperator({ name: "hello-operator", kinds: [Hello], controllers: [helloController] });
