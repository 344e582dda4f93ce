/** What expressions of Kubernetes 1.35 can use. Source: apiserver pkg/cel/environment/base.go. */
import { CelLibraries } from "../environment.ts";
import { authorizerLibrary } from "./authorizer.ts";
import { comprehensionsLibrary } from "./comprehensions.ts";
import { formatLibrary } from "./format.ts";
import { cidrLibrary, ipLibrary } from "./ip.ts";
import { kubernetesListsLibrary } from "./kubernetes-lists.ts";
import { listsLibrary } from "./lists.ts";
import { optionalLibrary } from "./optional.ts";
import { quantityLibrary } from "./quantity.ts";
import { regexLibrary } from "./regex.ts";
import { semverLibrary } from "./semver.ts";
import { setsLibrary } from "./sets.ts";
import { standardLibrary } from "./standard.ts";
import { stringsLibrary } from "./strings.ts";
import { urlLibrary } from "./url.ts";

export const kubernetesLibraries: CelLibraries = new CelLibraries([
  standardLibrary,
  urlLibrary,
  regexLibrary,
  kubernetesListsLibrary,
  authorizerLibrary,
  optionalLibrary,
  quantityLibrary,
  stringsLibrary,
  setsLibrary,
  ipLibrary,
  cidrLibrary,
  formatLibrary,
  comprehensionsLibrary,
  semverLibrary,
  listsLibrary,
]);
