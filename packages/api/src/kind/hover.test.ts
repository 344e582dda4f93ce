import path from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../../../..");
const file = path.join(root, "examples/application/src/api/v1/application.ts");

/** What an editor shows when the pointer rests on the name that `before` ends with. */
function hover(before: string): string {
  const service = languageService();
  const position = (ts.sys.readFile(file) ?? "").indexOf(before) + before.length - 1;
  const info = service.getQuickInfoAtPosition(file, position);
  return ts.displayPartsToString(info?.displayParts);
}

function languageService(): ts.LanguageService {
  const config = path.join(root, "examples/application/tsconfig.json");
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(config, (name) => ts.sys.readFile(name)).config,
    ts.sys,
    path.dirname(config),
  );
  return ts.createLanguageService({
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => {
      const text = ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });
}

describe("the hover of a kind's type", () => {
  it("shows the fields as a person would write them", () => {
    expect(hover("export type Application")).toMatchInlineSnapshot(`
      "type Application = {
          apiVersion: "example.com/v1";
          kind: "Application";
          metadata: ObjectMeta;
          spec: {
              replicas: number;
              image: string;
              version?: string | undefined;
          };
          status?: {
              availableReplicas?: number | undefined;
              conditions?: Condition[] | undefined;
          };
      }"
    `);
  }, 60_000);
});
