import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { navigationOf, pageHtml, readPages, slugOf } from "./docs-site.ts";

const root = path.resolve(import.meta.dirname, "..");
/** Every text that a reader may take code or commands from, by its path below the repository. */
const documents = [
  ...readPages(path.join(root, "docs")).map(({ file, text }) => ({ file: `docs/${file}`, text })),
  ...["README.md", "README.zh-CN.md"]
    .filter((file) => existsSync(path.join(root, file)))
    .map((file) => ({ file, text: readFileSync(path.join(root, file), "utf8") })),
];

interface Block {
  readonly file: string;
  readonly language: string;
  /** What stands behind the language: `signature`, `file=greeting.ts`. */
  readonly info: string;
  readonly code: string;
  /** The file that it is quoted from, if it is. */
  readonly quotedFrom: string | undefined;
}

const fence = /(?:<!-- from (\S+) -->\n)?^```(\w+)?[ ]?([^\n]*)\n([^]*?)^```$/gm;
const blocks: Block[] = documents.flatMap(({ file, text }) =>
  [...text.matchAll(fence)].map(([, quotedFrom, language = "", info = "", code = ""]) => ({
    file,
    language,
    info,
    code,
    quotedFrom,
  })),
);

describe("the documentation", () => {
  const quotes = blocks.filter((block) => block.quotedFrom !== undefined);
  it.each(quotes.map((block) => [block.file, block.quotedFrom ?? "", block.code] as const))(
    "%s quotes %s as it is",
    (_file, source, code) => {
      expect(readFileSync(path.join(root, source), "utf8")).toContain(code);
    },
  );

  it("has a language on every block", () => {
    expect(blocks.filter(({ language }) => language === "").map(({ file, code }) => [file, code])).toEqual(
      [],
    );
  });

  describe("compiled", () => {
    const folder = path.join(root, ".cache", "docs-blocks");
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it("has only code that the compiler takes", () => {
      rmSync(folder, { recursive: true, force: true });
      const code = blocks.filter(
        ({ file, language, info, quotedFrom }) =>
          // what a tutorial writes into files is compiled where these are
          !file.startsWith("docs/tutorials/") &&
          language === "ts" &&
          !/^(?:signature|fragment)$/.test(info) &&
          quotedFrom === undefined,
      );
      expect(code.length).toBeGreaterThan(10);
      code.forEach((block, i) => {
        // blocks of one page that name files may import each other
        const page = path.join(folder, block.file.replaceAll(/[/.]/g, "-"));
        const name = /file=(\S+)/.exec(block.info)?.[1] ?? `block-${i}.ts`;
        mkdirSync(page, { recursive: true });
        writeFileSync(path.join(page, name), `${block.code}\nexport {};\n`);
      });
      const config = {
        extends: "../../tsconfig.base.json",
        compilerOptions: {
          noEmit: true,
          composite: false,
          incremental: false,
          isolatedDeclarations: false,
          declaration: false,
          declarationMap: false,
          noUnusedLocals: false,
          types: ["node"],
          // the built packages, as a reader has them
          customConditions: [],
          allowImportingTsExtensions: true,
          rewriteRelativeImportExtensions: false,
        },
        include: ["**/*.ts"],
      };
      writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(config));
      const tsc = path.join(root, "node_modules/typescript/bin/tsc");
      let output = "";
      try {
        execFileSync(process.execPath, [tsc, "-p", folder], { cwd: root, encoding: "utf8" });
      } catch (error) {
        output = (error as { stdout: string }).stdout;
      }
      expect(output).toBe("");
    }, 60_000);
  });

  it("has no link that leads nowhere", () => {
    const dead: string[] = [];
    for (const { file, text } of documents) {
      const prose = text.replaceAll(fence, "");
      for (const [, href = ""] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(href)) continue;
        const [target = "", fragment] = href.split("#");
        const found = target === "" ? file : path.posix.join(path.posix.dirname(file), target);
        if (!existsSync(path.join(root, found))) dead.push(`${file}: ${href}`);
        else if (fragment !== undefined && found.endsWith(".md")) {
          const headings = [...readFileSync(path.join(root, found), "utf8").matchAll(/^#+ (.+)$/gm)];
          if (!headings.some(([, heading = ""]) => slugOf(heading) === fragment))
            dead.push(`${file}: ${href}`);
        }
      }
    }
    expect(dead).toEqual([]);
  });

  it("has every page in its index", () => {
    const index = readFileSync(path.join(root, "docs/README.md"), "utf8");
    const listed = navigationOf(index).flatMap(({ links }) => links.map(({ href }) => href));
    const pages = readPages(path.join(root, "docs")).map(({ file }) => file);
    expect([...listed].sort()).toEqual(pages.filter((file) => file !== "README.md"));
  });

  it("has only commands that a test runs", () => {
    const commands = blocks
      .filter(({ language, info }) => language === "sh" && !/\bskip\b/.test(info))
      .flatMap(({ file, code }) => commandsIn(code).map((command) => ({ file, command })));
    expect(commands.length).toBeGreaterThan(5);
    const unrun = commands.filter(({ file, command }) => !isRun(file, command));
    expect(unrun.map(({ file, command }) => `${file}: ${command}`)).toEqual([]);
  });
});

describe("the site", () => {
  it("links its pages to each other, and marks the one that is shown", () => {
    const index = "# X\n\n## Start\n\n- [One](a/one.md)\n- [Two](two.md)\n";
    const html = pageHtml({ file: "a/one.md", text: "# One\n\nSee [two](../two.md#part).\n" }, index);
    expect(html).toContain('<a href="../two.html#part">two</a>');
    expect(html).toContain('<a href="../a/one.html" aria-current="page">One</a>');
    expect(html).toContain('<h1 id="one">One</h1>');
  });

  it("shows code as it is", () => {
    const html = pageHtml({ file: "a.md", text: '```ts\nconst a = "<b>";\n```\n' }, "");
    expect(html).toContain("&lt;b&gt;");
  });

  it("tells what is printed from what is typed", () => {
    const html = pageHtml({ file: "a.md", text: "```sh\nls\n```\n\n```text\na b\n```\n" }, "");
    expect(html).toContain("<pre><code>ls</code>");
    expect(html).toContain('<pre class="output"><code>a b</code>');
  });
});

/** The commands of a shell block: one a line, continued lines joined, without comments and prompts. */
function commandsIn(code: string): string[] {
  return code
    .replaceAll("\\\n", " ")
    .split("\n")
    .map((line) => line.replace(/\s+#.*$/, "").trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/**
 * The tutorials are run from their pages, and so are the kubectl commands of README and quick start. Scripts of the repository
 * must exist. Any other command must stand in a test, whole or as a list of its words.
 */
function isRun(file: string, command: string): boolean {
  if (file.startsWith("docs/tutorials/")) return true;
  // packages/cli/test/guides.test.ts runs these from their pages
  if (/^docs\/guides\/(?:deploying|helm|rbac)\.md$/.test(file)) return true;
  // packages/cli/test/cluster-snapshot.test.ts runs the block about snapshots from its page
  const snapshots = blocks.find((block) => block.file === file && block.code.includes("cluster snapshot"));
  if (snapshots?.code.includes(command) === true) return true;
  if (/^README|^docs\/start\.md/.test(file) && /^(?:kubectl|export) /.test(command)) return true;
  const scripts = command.split(" && ").map((part) => /^npm (?:run )?([\w-]+)/.exec(part)?.[1]);
  if (scripts.every((script) => script === "ci" || (script !== undefined && script in packageScripts)))
    return true;
  const words = command
    .replace(/^npx (?=bowline)/, "")
    .replace(/^(?:bowline|kubectl|helm|make) /, "")
    .replaceAll(/["'<>]/g, "");
  return testText().includes(words.replaceAll(/\s+/g, " "));
}

const packageScripts = (
  JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { scripts: Record<string, string> }
).scripts;

let text: string | undefined;

/** All tests as one text in which a list of strings reads as a command line. */
function testText(): string {
  text ??= testFiles()
    .map((file) => readFileSync(file, "utf8").replaceAll(/["'`,<>]|\$\{[^}]*\}/g, " "))
    .join("\n")
    .replaceAll(/\s+/g, " ");
  return text;
}

function testFiles(): string[] {
  const folders = ["packages", "examples", "tools", "interop"].map((folder) => path.join(root, folder));
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => path.join(folder, file)),
  );
  const others = [".ci/run", "package.json", ".github/workflows/ci.yml"].map((file) => path.join(root, file));
  return [...files, ...others.filter((file) => existsSync(file))].filter(
    (file) =>
      !/node_modules|\/dist\//.test(file) &&
      (/\.test\.ts$|\/interop\/.*\.ts$|\/tools\/tutorials\/.*/.test(file) || others.includes(file)),
  );
}
