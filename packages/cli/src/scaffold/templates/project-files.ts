/** The files that every project has whatever it is about. */
import type { PlannedFile } from "../write-files.ts";

/** What the templates of a project are filled with. */
export interface ProjectTemplate {
  readonly projectName: string;
  /** Where a package of ours is installed from: `0.1.0`, or `file:../bowline-api-0.1.0.tgz`. */
  packageSpec(name: string): string;
  /** npm name of the project. */
  readonly packageName: string;
  /** SPDX identifier. */
  readonly license?: string | undefined;
  /** Who owns the copyright. */
  readonly owner?: string | undefined;
}

/** Versions that are known to work together on Node 20.19. */
const tools = {
  "@types/node": "^20.19.0",
  oxlint: "1.94.0",
  "oxlint-tsgolint": "7.0.2008",
  typescript: "6.0.3",
  vitest: "4.1.12",
  vite: "8.3.8",
} as const;

const runtimePackages = ["api", "client", "runtime"] as const;
const developmentPackages = ["cli", "cluster", "testing"] as const;

export function packageJson(project: ProjectTemplate): string {
  const spec = (names: readonly string[]): Record<string, string> =>
    Object.fromEntries(names.map((name) => [`@bowline/${name}`, project.packageSpec(name)]));
  const manifest = {
    name: project.packageName,
    version: "0.1.0",
    private: true,
    ...(project.license === undefined ? {} : { license: project.license }),
    ...(project.owner === undefined ? {} : { author: project.owner }),
    type: "module",
    engines: { node: ">=20.19" },
    exports: { ".": "./dist/operator.js" },
    scripts: {
      build: "tsc -p tsconfig.build.json",
      typecheck: "tsc",
      lint: "oxlint --type-aware --deny-warnings",
      test: "vitest run",
      dev: "bowline dev",
      manifests: "bowline generate",
      "install-crds": "bowline install",
      "uninstall-crds": "bowline uninstall",
      start: "bowline run",
      "image:build": "bowline build",
      "image:push": "bowline push",
      deploy: "bowline deploy",
      undeploy: "bowline undeploy",
    },
    dependencies: { ...spec(runtimePackages), zod: "4.6.7" },
    devDependencies: { ...spec(developmentPackages), ...tools },
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

const tsconfig = `{
  "compilerOptions": {
    "target": "ES2023",
    "module": "nodenext",
    "types": ["node"],
    "strict": true,
    "exactOptionalPropertyTypes": true,
    "noUncheckedIndexedAccess": true,
    "verbatimModuleSyntax": true,
    "erasableSyntaxOnly": true,
    "rewriteRelativeImportExtensions": true,
    "skipLibCheck": true,
    "noEmit": true
  },
  "include": ["src"]
}
`;

const tsconfigBuild = `{
  "extends": "./tsconfig.json",
  "compilerOptions": { "noEmit": false, "rootDir": "src", "outDir": "dist", "sourceMap": true },
  "exclude": ["src/**/*.test.ts"]
}
`;

const lintRules = `{
  "plugins": ["typescript", "unicorn", "oxc", "promise"],
  "categories": { "correctness": "error" },
  "rules": {
    "typescript/no-floating-promises": "error",
    "typescript/await-thenable": "error"
  },
  "ignorePatterns": ["dist/**", ".bowline/**"]
}
`;

const gitignore = `node_modules/
dist/
.bowline/
*.new
`;

const dockerignore = `*
!package.json
!package-lock.json
!tsconfig.json
!tsconfig.build.json
!src
**/*.test.ts
`;

const dockerfile = `# Builds the program, then keeps only what runs: no compiler, no shell, no root.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npm run build && npm prune --omit=dev

FROM gcr.io/distroless/nodejs22-debian12:nonroot
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
ENV NODE_ENV=production
USER 65532:65532
ENTRYPOINT ["/nodejs/bin/node", "dist/main.js"]
`;

const makefile = `# Each target is one command of bowline; \`npx bowline --help\` shows all of them.
IMG ?= controller:latest
# flags of the manager for run: --leader-elect, --webhook-bind-address=:9444
ARGS ?=
# flags of bowline build: --builder podman, --base FILE, --platform linux/arm64
BUILD_ARGS ?=
BOWLINE := npx --no-install bowline

.PHONY: help manifests test lint dev run install uninstall build docker-build docker-push build-installer chart bundle deploy undeploy

help: ## Show the targets.
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\\t/'

manifests: ## Write CRDs, RBAC, webhooks and deployment from the program into config/.
	$(BOWLINE) generate

test: ## Check types and run the tests.
	npm run typecheck && npm test

lint: ## Run the linter.
	npm run lint

dev: ## Run everything on an embedded cluster, restarted on change.
	$(BOWLINE) dev

run: ## Run the operator on this machine, against the cluster of the kubeconfig.
	$(BOWLINE) run -- $(ARGS)

install: ## Install the CRDs into the cluster of the kubeconfig.
	$(BOWLINE) install

uninstall: ## Remove the CRDs, and with them all their objects.
	$(BOWLINE) uninstall

build: ## Compile the program.
	npm run build

docker-build: ## Build the image.
	$(BOWLINE) build --tag $(IMG) $(BUILD_ARGS)

docker-push: ## Push the image.
	$(BOWLINE) push --tag $(IMG)

build-installer: ## Write everything that is needed to install into deploy/install.yaml.
	$(BOWLINE) generate --image $(IMG)

chart: ## Write a Helm chart into deploy/chart.
	$(BOWLINE) chart --image $(IMG)

bundle: ## Write an OLM bundle into bundle/.
	$(BOWLINE) bundle --image $(IMG)

deploy: ## Deploy the operator into the cluster of the kubeconfig.
	$(BOWLINE) deploy --image $(IMG)

undeploy: ## Remove the operator from the cluster of the kubeconfig.
	$(BOWLINE) undeploy
`;

const workflow = `name: test
on:
  push:
  pull_request:
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
          cache: npm
      - run: npm ci
      - run: npm run lint
      - run: npm run typecheck
      - run: npm test
      - run: npx --no-install bowline generate --check
`;

export function mainSource(): string {
  return `import { runOperator } from "@bowline/runtime";
import operator from "./operator.ts";

await runOperator(operator, { args: process.argv.slice(2) });
`;
}

export function operatorSource(projectName: string): string {
  return `import { defineOperator } from "@bowline/runtime";

/** What this operator is made of: the one value from which it is run, tested and deployed. */
export default defineOperator({
  name: ${JSON.stringify(projectName)},
  kinds: [],
  controllers: [],
});
`;
}

/** All files of `bowline init`. */
export function projectFiles(project: ProjectTemplate): PlannedFile[] {
  return [
    { path: "package.json", text: packageJson(project) },
    { path: "tsconfig.json", text: tsconfig },
    { path: "tsconfig.build.json", text: tsconfigBuild },
    { path: ".oxlintrc.json", text: lintRules },
    { path: ".gitignore", text: gitignore },
    { path: ".dockerignore", text: dockerignore },
    { path: "Dockerfile", text: dockerfile },
    { path: "Makefile", text: makefile },
    { path: ".github/workflows/test.yml", text: workflow },
    { path: "src/main.ts", text: mainSource() },
    { path: "src/operator.ts", text: operatorSource(project.projectName) },
  ];
}
