/**
 * Which part may import which (docs/architecture.md). `tools/directions.test.ts` proves on a bad fixture that each rule
 * fires, and that the run looked at the whole tree.
 */
const pkg = (name) => `^packages/${name}/`;

/** What each package may import of the others. */
const allowed = {
  api: [],
  client: ["api"],
  runtime: ["client", "api"],
  cluster: ["runtime", "client", "api"],
  testing: ["cluster", "runtime", "client", "api"],
  cli: ["testing", "cluster", "runtime", "client", "api"],
};
const packages = Object.keys(allowed);

const directions = packages.map((name) => ({
  name: `direction-${name}`,
  comment: `${name} may import only: ${allowed[name].join(", ") || "nothing of ours"}`,
  severity: "error",
  from: { path: pkg(name), pathNot: "\\.test\\.ts$|/test/" },
  to: { path: `^packages/(?!(${[name, ...allowed[name]].join("|")})/)[^/]+/` },
}));

/** Layers inside cluster, lowest first; controllers and nodes stand beside and speak only through the transport. */
const clusterLayers = [
  { name: "store", mayNot: ["registry", "access", "server", "controllers", "nodes"] },
  { name: "registry", mayNot: ["access", "server", "controllers", "nodes"] },
  { name: "access", mayNot: ["server", "controllers", "nodes"] },
  { name: "server", mayNot: ["controllers", "nodes"] },
  { name: "controllers", mayNot: ["store", "registry", "access", "server"] },
  { name: "nodes", mayNot: ["store", "registry", "access", "server"] },
];

export default {
  forbidden: [
    ...directions,
    {
      name: "no-cycle",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "no-inner-import",
      comment: "import another package by its name, not by a path into it",
      severity: "error",
      from: { path: "^packages/([^/]+)/" },
      to: {
        path: "^packages/(?!$1/)[^/]+/src/",
        dependencyTypesNot: ["npm", "aliased", "aliased-workspace"],
        pathNot: "/src/index\\.ts$|/src/builtin/|/src/kind/k8s\\.ts$",
      },
    },
    {
      name: "examples-use-entry-points",
      comment: "examples import published entry points only",
      severity: "error",
      from: { path: "^examples/" },
      to: { path: "^packages/[^/]+/src/", pathNot: "/src/index\\.ts$|/src/builtin/|/src/kind/k8s\\.ts$" },
    },
    {
      name: "api-is-pure",
      comment: "api has no I/O: no Node built-ins",
      severity: "error",
      from: { path: "^packages/api/src", pathNot: "\\.test\\.ts$|\\.fuzz\\.ts$" },
      to: { dependencyTypes: ["core"] },
    },
    ...clusterLayers.map((layer) => ({
      name: `cluster-${layer.name}`,
      comment: `cluster/${layer.name} may not import ${layer.mayNot.join(", ")}`,
      severity: "error",
      from: { path: `^packages/cluster/src/${layer.name}/`, pathNot: "\\.test\\.ts$" },
      to: { path: `^packages/cluster/src/(${layer.mayNot.join("|")})/` },
    })),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "/dist/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.base.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@bowline/source", "import", "node", "default", "types"],
      extensions: [".ts", ".mjs", ".js"],
    },
  },
};
