/** What expressions of Kubernetes 1.35 can use. Source: apiserver pkg/cel/environment/base.go. */
import { CelLibraries } from "../environment.ts";
import { twoVariableMacros } from "../macros.ts";
import { optionalLibrary } from "./optional.ts";
import { standardLibrary } from "./standard.ts";
import { stringsLibrary } from "./strings.ts";

export const kubernetesLibraries: CelLibraries = new CelLibraries([
  standardLibrary,
  optionalLibrary,
  stringsLibrary,
  { functions: [], macros: twoVariableMacros },
]);
