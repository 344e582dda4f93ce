import { defineConfig } from "vitest/config";

/** Tests run from source: the `@bowline/source` condition makes packages resolve to each other's TypeScript. */
const conditions = ["@bowline/source"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: [
      "packages/*/{src,test}/**/*.test.ts",
      "examples/*/src/**/*.test.ts",
      "tools/**/*.test.ts",
      "conformance/**/*.test.ts",
      "interop/*.test.ts",
    ],
    exclude: ["**/*.fuzz.test.ts", "**/node_modules/**", "**/dist/**"],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
