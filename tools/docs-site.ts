/**
 * Builds the documentation site from `docs/`: `npm run docs [-- --out DIR]` (default `site`). One HTML file per Markdown file,
 * the pages of the index `docs/README.md` at the side, links between pages rewritten. Nothing is loaded from elsewhere.
 */
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Marked, type Tokens } from "marked";

/** A page by its path below `docs`, as `guides/testing.md`. */
export interface Page {
  readonly file: string;
  readonly text: string;
}

/** All pages below a folder. */
export function readPages(folder: string): Page[] {
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((entry) => entry.split(path.sep).join("/"))
    .filter((entry) => entry.endsWith(".md") && statSync(path.join(folder, entry)).isFile())
    .sort();
  return entries.map((file) => ({ file, text: readFileSync(path.join(folder, file), "utf8") }));
}

/** The fragment that names a heading: what GitHub makes of it. */
export function slugOf(heading: string): string {
  return heading
    .replace(/<[^>]*>/g, "")
    .replace(/`/g, "")
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
}

export function titleOf({ file, text }: Page): string {
  return /^# (.+)$/m.exec(text)?.[1]?.replace(/`/g, "") ?? file;
}

/** The links of the index, by the heading that they stand under. */
export function navigationOf(index: string): { heading: string; links: { title: string; href: string }[] }[] {
  const groups: { heading: string; links: { title: string; href: string }[] }[] = [];
  for (const line of index.split("\n")) {
    const heading = /^## (.+)$/.exec(line)?.[1];
    if (heading !== undefined) groups.push({ heading, links: [] });
    const [, title = "", href = ""] = /^- \[([^\]]+)\]\(([^)]+)\)/.exec(line) ?? [];
    if (href !== "") groups.at(-1)?.links.push({ title, href });
  }
  return groups;
}

/** A link from one page to another becomes a link between their HTML files; others stay. */
function hrefFor(href: string): string {
  if (/^[a-z]+:/.test(href)) return href;
  return href.replace(/README\.md(?=#|$)/, "index.html").replace(/\.md(?=#|$)/, ".html");
}

function render(text: string): string {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: raw }: Tokens.Heading): string {
        return `<h${depth} id="${slugOf(raw)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link): string {
        return `<a href="${escape(hrefFor(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      code({ text: code, lang }: Tokens.Code): string {
        // what a command prints looks unlike what is typed
        return `<pre${lang === "text" ? ' class="output"' : ""}><code>${escape(code)}</code></pre>\n`;
      },
    },
  });
  return marked.parse(text, { async: false });
}

function escape(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

/** The HTML of a page. */
export function pageHtml(page: Page, index: string): string {
  const up = "../".repeat(page.file.split("/").length - 1);
  const side = navigationOf(index)
    .map(({ heading, links }) => {
      const items = links.map(({ title, href }) => {
        const isHere = href === page.file ? ' aria-current="page"' : "";
        return `<li><a href="${up}${escape(hrefFor(href))}"${isHere}>${escape(title)}</a></li>`;
      });
      return `<h2>${escape(heading)}</h2><ul>${items.join("")}</ul>`;
    })
    .join("\n");
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(titleOf(page))} · Bowline</title>
<style>${style}</style>
<body>
<header><a class="home" href="${up}index.html">Bowline</a> <a href="#contents">Contents</a></header>
<nav id="contents"><a class="home" href="${up}index.html">Bowline</a>
${side}</nav>
<main>
${render(page.text)}</main>
</body>
</html>
`;
}

const style = `
:root{color-scheme:light dark;--line:light-dark(#d8dee4,#30363d);--soft:light-dark(#f5f7f9,#161b22);--accent:light-dark(#0b5cad,#6cb0ff)}
*{box-sizing:border-box}
body{margin:0;display:grid;grid-template-columns:17rem minmax(0,1fr);font:16px/1.6 system-ui,sans-serif;background:light-dark(#fff,#0d1117);color:light-dark(#1f2328,#e6edf3)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.2rem;border-right:1px solid var(--line);font-size:.92rem}
nav h2{font-size:.75rem;letter-spacing:.06em;text-transform:uppercase;margin:1.4rem 0 .3rem;opacity:.7}
nav ul{list-style:none;margin:0;padding:0}nav li{margin:.15rem 0}nav [aria-current]{font-weight:600}
.home{font-weight:700;font-size:1.15rem}
main{padding:2rem 2.5rem 5rem;max-width:60rem}
a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
h1{line-height:1.2}h2{margin-top:2.2em;border-bottom:1px solid var(--line);padding-bottom:.2em}
code{font:.88em ui-monospace,SFMono-Regular,Menlo,monospace;background:var(--soft);padding:.1em .3em;border-radius:4px}
pre{background:var(--soft);border:1px solid var(--line);border-radius:6px;padding:.8rem 1rem;overflow:auto}pre code{background:none;padding:0}
pre.output{background:none;border-style:dashed}header{display:none}
table{border-collapse:collapse;display:block;overflow:auto}th,td{border:1px solid var(--line);padding:.35rem .7rem;text-align:left;vertical-align:top}
@media(max-width:56rem){body{display:flex;flex-direction:column}header{display:flex;justify-content:space-between;align-items:baseline;padding:.8rem 1.2rem;border-bottom:1px solid var(--line)}
main{width:100%;padding:1.2rem}nav{order:1;position:static;height:auto;border:0;border-top:1px solid var(--line)}nav .home{display:none}}
`;

export function main(args: readonly string[]): number {
  const at = args.indexOf("--out");
  const out = at < 0 ? "site" : (args[at + 1] ?? "site");
  const pages = readPages("docs");
  const index = pages.find(({ file }) => file === "README.md")?.text ?? "";
  for (const page of pages) {
    const target = path.join(out, page.file.replace(/README\.md$/, "index.html").replace(/\.md$/, ".html"));
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, pageHtml(page, index));
  }
  process.stdout.write(`${pages.length} pages in ${out}\n`);
  return 0;
}
