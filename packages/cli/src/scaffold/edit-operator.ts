/** Small edits of `src/operator.ts`, the one file that both the tool and people write. */

/** What a new part needs there. */
export interface OperatorPart {
  /** `import { Application } from "./api/v1/application.ts";` */
  readonly importLine: string;
  /** The array of `defineOperator` that it goes into. */
  readonly list: "kinds" | "controllers" | "webhooks";
  /** `Application`. */
  readonly name: string;
  /** Names that it takes the place of: the single version of a kind that now has two. */
  readonly replaces?: readonly string[];
}

/**
 * The text with the part imported and listed; the same text when it is there already, undefined when the file has been
 * changed so much that the place cannot be found.
 */
export function withOperatorPart(text: string, part: OperatorPart): string | undefined {
  const listed = withListed(text, part);
  return listed === undefined ? undefined : withImport(listed, part);
}

function withListed(text: string, part: OperatorPart): string | undefined {
  const list = new RegExp(`\\b${part.list}: \\[([^\\]]*)\\]`);
  const found = list.exec(text);
  if (found === null) {
    if (part.list !== "webhooks") return undefined;
    const controllers = /^( *)controllers: \[[^\]]*\],?$/m;
    if (!controllers.test(text)) return undefined;
    return text.replace(
      controllers,
      (line, indent: string) => `${line.replace(/,?$/, ",")}\n${indent}webhooks: [${part.name}],`,
    );
  }
  const names = (found[1] ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (names.includes(part.name)) return text;
  const kept = names.filter((name) => !part.replaces?.includes(name));
  return text.replace(list, () => `${part.list}: [${[...kept, part.name].join(", ")}]`);
}

function withImport(text: string, part: OperatorPart): string {
  const kept = (part.replaces ?? []).reduce(
    (all, name) =>
      usesOf(all, name) > 1 ? all : all.replace(new RegExp(`^import \\{ ${name} \\} from .*\\n`, "m"), ""),
    text,
  );
  if (kept.includes(part.importLine)) return kept;
  const imports = [...kept.matchAll(/^import .*;$/gm)];
  const last = imports.at(-1);
  if (last === undefined) return `${part.importLine}\n${kept}`;
  const end = last.index + last[0].length;
  return `${kept.slice(0, end)}\n${part.importLine}${kept.slice(end)}`;
}

function usesOf(text: string, name: string): number {
  return [...text.matchAll(new RegExp(`\\b${name}\\b`, "g"))].length;
}
