/** The files of a program that Node can load, compiled when the sources are newer than what is there. */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type * as typescript from "typescript";
import { UsageError } from "../errors.ts";

let compilations = 0;

/**
 * The entry to import: the compiled one, or one compiled now from `src`, in a folder of its own each time, so that a changed
 * program can be loaded again by the same process. Types are not checked: that is the editor's and the compiler's work.
 * @param entry path within the project: `./dist/operator.js`
 * @throws UsageError when there is neither
 */
export function currentProgram(
  folder: string,
  entry: string,
  options: { readonly fresh?: boolean } = {},
): string {
  const compiled = path.join(folder, entry);
  const sources = path.join(folder, "src");
  const inDist = path.relative(path.join(folder, "dist"), compiled);
  const source = path.join(sources, inDist.replace(/\.js$/, ".ts"));
  const hasSource = !inDist.startsWith("..") && existsSync(source);
  if (existsSync(compiled) && !options.fresh && (!hasSource || newest(sources) <= statSync(compiled).mtimeMs))
    return compiled;
  if (!hasSource) throw new UsageError(`${compiled} does not exist: build the project first (npm run build)`);
  return path.join(compile(folder, sources), inDist);
}

/** Changes when any source file does, milliseconds since 1970. */
export function newest(folder: string): number {
  return Math.max(0, ...filesBelow(folder).map((file) => statSync(path.join(folder, file)).mtimeMs));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.ts$|\.new$/.test(entry.name))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}

function compile(folder: string, sources: string): string {
  const ts = compilerOf(folder);
  const target = path.join(folder, ".bowline", "build", `${process.pid}-${++compilations}`);
  for (const file of filesBelow(sources)) {
    const text = readFileSync(path.join(sources, file));
    const out = path.join(target, file.replace(/\.ts$/, ".js"));
    mkdirSync(path.dirname(out), { recursive: true });
    writeFileSync(
      out,
      file.endsWith(".ts") ? transpiled(ts, path.join(sources, file), text.toString("utf8")) : text,
    );
  }
  process.once("exit", () => rmSync(target, { recursive: true, force: true }));
  return target;
}

function transpiled(ts: typeof typescript, file: string, text: string): string {
  const { outputText, diagnostics = [] } = ts.transpileModule(text, {
    fileName: file,
    reportDiagnostics: true,
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2023,
      rewriteRelativeImportExtensions: true,
      inlineSourceMap: true,
      verbatimModuleSyntax: true,
    },
  });
  const [first] = diagnostics;
  if (first === undefined) return outputText;
  const { line, character } = first.file?.getLineAndCharacterOfPosition(first.start ?? 0) ?? {
    line: 0,
    character: 0,
  };
  const message = ts.flattenDiagnosticMessageText(first.messageText, "\n");
  throw new UsageError(`${file}:${line + 1}:${character + 1}: ${message}`);
}

/** The project's own compiler. */
function compilerOf(folder: string): typeof typescript {
  try {
    return createRequire(path.join(folder, "package.json"))("typescript") as typeof typescript;
  } catch (error) {
    throw new UsageError(`${folder} has no TypeScript: run npm install first`, { cause: error });
  }
}
