/**
 * Writes `docs/reference/api/PACKAGE.md` from the docstrings of what each package exports:
 *
 *     npm run generate-reference                 write the pages
 *     npm run generate-reference -- --check      compare instead, exit 1 on a difference
 *
 * The pages are committed: a change of what a package promises shows in review.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

const packages = ["api", "client", "runtime", "cluster", "testing"];
const outputDirectory = "docs/reference/api";

/** Names that `index.ts` exports under one of its `// Heading` comments. */
interface Section {
  readonly heading: string;
  readonly names: readonly { readonly name: string; readonly file: string }[];
}

/** The sections of an `index.ts`, in its order. */
export function sectionsOf(text: string): Section[] {
  const source = ts.createSourceFile("index.ts", text, ts.ScriptTarget.Latest, true);
  const sections: { heading: string; names: { name: string; file: string }[] }[] = [];
  for (const statement of source.statements) {
    const comments = ts.getLeadingCommentRanges(text, statement.getFullStart()) ?? [];
    for (const { pos, end, kind } of comments) {
      if (kind !== ts.SyntaxKind.SingleLineCommentTrivia) continue;
      sections.push({ heading: text.slice(pos + 2, end).trim(), names: [] });
    }
    if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier === undefined) continue;
    if (statement.exportClause === undefined || !ts.isNamedExports(statement.exportClause)) continue;
    const file = (statement.moduleSpecifier as ts.StringLiteral).text;
    if (sections.length === 0) sections.push({ heading: "Exports", names: [] });
    for (const { name } of statement.exportClause.elements)
      sections.at(-1)?.names.push({ name: name.text, file });
  }
  return sections.filter((section) => section.names.length > 0);
}

/** What a module declares under a name: its docstring as text, and the declarations without bodies. */
export interface Declared {
  readonly doc: string;
  readonly code: string;
}

/** The exported declarations of a module by their names; a const and a type of one name go together. */
export function declarationsOf(text: string): Map<string, Declared> {
  const { outputText } = ts.transpileDeclaration(text, {
    compilerOptions: {
      isolatedDeclarations: true,
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
    },
  });
  const source = ts.createSourceFile("module.d.ts", outputText, ts.ScriptTarget.Latest, true);
  const found = new Map<string, Declared>();
  for (const statement of source.statements) {
    for (const name of namesOf(statement)) {
      const before = found.get(name);
      const doc = docOf(statement);
      const code = codeOf(statement);
      found.set(name, {
        doc: [before?.doc, doc].filter(Boolean).join("\n\n"),
        code: before === undefined ? code : `${before.code}\n${code}`,
      });
    }
  }
  return found;
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map((declaration) => declaration.name.getText());
  }
  const { name } = statement as ts.Statement & { readonly name?: ts.Identifier };
  return name === undefined ? [] : [name.text];
}

function docOf(statement: ts.Statement): string {
  const docs = (statement as ts.Statement & { readonly jsDoc?: readonly ts.JSDoc[] }).jsDoc ?? [];
  const last = docs.at(-1);
  if (last === undefined) return "";
  const lines = last
    .getText()
    .replace(/^\/\*\*\s?/, "")
    .replace(/\s*\*\/$/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""));
  return (
    lines
      .join("\n")
      .trim()
      .replace(/^@throws /gm, "\nThrows ")
      .replace(/^@returns /gm, "\nReturns ")
      .replace(/^@param (\S+) (.*)$/gm, "\n`$1`: $2")
      .replace(/\{@link ([^}]+)\}/g, "`$1`")
      // what a docstring shows is a piece of a program
      .replace(/^```ts$/gm, "```ts fragment")
      .replace(/\n{3,}/g, "\n\n")
  );
}

/** Without `export declare`, and without what is private. */
function codeOf(statement: ts.Statement): string {
  return statement
    .getText()
    .replace(/^export (?:declare )?/, "")
    .replace(/^ +#private;\n/gm, "");
}

/** The page of one package. */
export function referencePage(root: string, name: string): string {
  const source = path.join(root, "packages", name, "src");
  const modules = new Map<string, Map<string, Declared>>();
  const declared = (file: string, of: string): Declared | undefined => {
    const known = modules.get(file) ?? declarationsOf(readFileSync(path.join(source, file), "utf8"));
    modules.set(file, known);
    return known.get(of);
  };
  const sections = sectionsOf(readFileSync(path.join(source, "index.ts"), "utf8")).map(
    ({ heading, names }) => {
      const seen = new Set<string>();
      const entries = names.flatMap(({ name: exported, file }) => {
        const found = declared(file, exported);
        if (found === undefined || seen.has(exported)) return [];
        seen.add(exported);
        return [
          `### ${exported}\n\n${found.doc === "" ? "" : `${found.doc}\n\n`}\`\`\`ts signature\n${found.code}\n\`\`\`\n`,
        ];
      });
      return `## ${heading}\n\n${entries.join("\n")}`;
    },
  );
  return `<!-- generated by npm run generate-reference -->\n\n# @bowline/${name}\n\n${sections.join("\n")}`;
}

export function main(args: readonly string[]): number {
  const root = process.cwd();
  const check = args.includes("--check");
  let stale = 0;
  for (const name of packages) {
    const file = path.join(outputDirectory, `${name}.md`);
    const page = referencePage(root, name);
    const before = existsSync(file) ? readFileSync(file, "utf8") : undefined;
    if (before === page) continue;
    stale++;
    if (check) process.stdout.write(`stale: ${file} (run npm run generate-reference)\n`);
    else {
      mkdirSync(outputDirectory, { recursive: true });
      writeFileSync(file, page);
      process.stdout.write(`wrote ${file}\n`);
    }
  }
  return check && stale > 0 ? 1 : 0;
}
