import { describe, expect, it } from "vitest";
import { withOperatorPart } from "./edit-operator.ts";

const operator = `import { defineOperator } from "@bowline/runtime";

export default defineOperator({
  name: "shop",
  kinds: [],
  controllers: [],
});
`;
const widget = {
  importLine: 'import { Widget } from "./widget.ts";',
  list: "kinds",
  name: "Widget",
} as const;

describe("withOperatorPart", () => {
  it("imports the part and lists it", () => {
    expect(withOperatorPart(operator, widget)).toBe(
      operator
        .replace("\n\n", '\nimport { Widget } from "./widget.ts";\n\n')
        .replace("kinds: []", "kinds: [Widget]"),
    );
  });

  it("changes nothing the second time", () => {
    const once = withOperatorPart(operator, widget) ?? "";
    expect(withOperatorPart(once, widget)).toBe(once);
  });

  it("keeps what a person has put there, also over several lines", () => {
    const edited = operator.replace("kinds: []", "kinds: [\n    Other,\n    Third,\n  ]");
    expect(withOperatorPart(edited, widget)).toContain("kinds: [Other, Third, Widget]");
  });

  it("adds the list of webhooks when there is none", () => {
    const part = { importLine: 'import { hook } from "./hook.ts";', list: "webhooks", name: "hook" } as const;
    expect(withOperatorPart(operator, part)).toContain("  controllers: [],\n  webhooks: [hook],\n});");
  });

  it("puts one thing in the place of another, and drops an import that nothing uses", () => {
    const once = withOperatorPart(operator, widget) ?? "";
    const crd = {
      importLine: 'import { widgetCrd } from "./crd.ts";',
      list: "kinds",
      name: "widgetCrd",
      replaces: ["Widget"],
    } as const;
    const text = withOperatorPart(once, crd);
    expect(text).toContain("kinds: [widgetCrd]");
    expect(text).not.toContain("widget.ts");
  });

  it("gives up on a file that was written anew", () => {
    expect(withOperatorPart("export default makeOperator();\n", widget)).toBeUndefined();
  });
});
