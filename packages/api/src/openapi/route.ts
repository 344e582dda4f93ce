/**
 * The operations of a resource, before they are written as OpenAPI v2 or v3.
 * Sources: apiextensions-apiserver pkg/controller/openapi/builder for custom resources, apiserver pkg/endpoints (installer.go)
 * for built-in ones; operation ids from apiserver pkg/endpoints/openapi.
 */
import { builtinDefinitionName } from "../builtin/definitions.ts";
import type { ApiResource, ApiSubresource, GroupVersionKind } from "../discovery/api-resource.ts";
import { apiVersionOf } from "../kind/kind.ts";
import { type OpenApiKind, customDefinitionName } from "./openapi-kind.ts";
import {
  type ParameterFact,
  deleteParameters,
  getParameters,
  listParameters,
  nameParameter,
  namespaceParameter,
  patchParameters,
  prettyParameter,
  writeParameters,
} from "./parameters.ts";

export type Method = "get" | "put" | "post" | "delete" | "patch";

export interface Route {
  readonly path: string;
  readonly method: Method;
  /** `x-kubernetes-action`. */
  readonly action: string;
  readonly operationId: string;
  readonly tag: string;
  readonly description: string;
  readonly gvk: GroupVersionKind;
  readonly parameters: readonly ParameterFact[];
  readonly body?: { readonly definition: string; readonly required: boolean };
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  /** Definition of the answer; absent for plain text. */
  readonly answer?: string;
  readonly codes: readonly (200 | 201 | 202)[];
}

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const patchTypes = ["application/json-patch+json", "application/merge-patch+json"];
const applyType = "application/apply-patch+yaml";

/** What differs between custom and built-in resources. */
interface Flavour {
  readonly custom: boolean;
  readonly mediaTypes: readonly string[];
  readonly listMediaTypes: readonly string[];
  readonly patchTypes: readonly string[];
  readonly patchCodes: readonly (200 | 201)[];
  readonly getParameters: readonly ParameterFact[];
}

const customFlavour: Flavour = {
  custom: true,
  mediaTypes: ["application/json", "application/yaml"],
  listMediaTypes: ["application/json", "application/yaml"],
  patchTypes: [...patchTypes, applyType],
  patchCodes: [200],
  getParameters,
};

const builtinMediaTypes = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

const builtinFlavour: Flavour = {
  custom: false,
  mediaTypes: builtinMediaTypes,
  listMediaTypes: [
    ...builtinMediaTypes,
    "application/json;stream=watch",
    "application/vnd.kubernetes.protobuf;stream=watch",
  ],
  patchTypes: [...patchTypes, "application/strategic-merge-patch+json", applyType],
  patchCodes: [200, 201],
  getParameters: [],
};

export function routesOf(kind: OpenApiKind): Route[] {
  const writer = new RouteWriter(kind);
  writer.resource();
  for (const subresource of kind.resource.subresources) writer.subresource(subresource);
  return writer.routes;
}

/** The definitions of a kind and of its list. */
export function definitionNames({ resource, custom }: OpenApiKind): { kind: string; list: string } {
  const { group, version } = resource;
  if (custom !== undefined) {
    return {
      kind: customDefinitionName(group, version, resource.kind),
      list: customDefinitionName(group, version, resource.listKind),
    };
  }
  return { kind: definitionOf(resource), list: definitionOf({ group, version, kind: resource.listKind }) };
}

function definitionOf(gvk: GroupVersionKind): string {
  return builtinDefinitionName(gvk) ?? "";
}

class RouteWriter {
  readonly routes: Route[] = [];
  readonly #resource: ApiResource;
  readonly #flavour: Flavour;
  readonly #names: { kind: string; list: string };
  readonly #root: string;

  constructor(kind: OpenApiKind) {
    this.#resource = kind.resource;
    this.#flavour = kind.custom === undefined ? builtinFlavour : customFlavour;
    this.#names = definitionNames(kind);
    const { group, version } = kind.resource;
    this.#root = group === "" ? `/api/${version}` : `/apis/${apiVersionOf(group, version)}`;
  }

  get #collection(): string {
    const { namespaced, plural } = this.#resource;
    return namespaced ? `${this.#root}/namespaces/{namespace}/${plural}` : `${this.#root}/${plural}`;
  }

  resource(): void {
    const { kind, namespaced, plural, verbs } = this.#resource;
    const can = (verb: string): boolean => this.#flavour.custom || verbs.includes(verb);
    const path = this.#collection;
    const item = `${path}/{name}`;
    const { kind: own, list } = this.#names;
    const answersSelf = !this.#flavour.custom && returnsDeletedObject.has(plural);
    if (can("list")) {
      if (namespaced) this.#list(`${this.#root}/${plural}`, `list${kind}ForAllNamespaces`, list);
      this.#list(path, `list${this.#scope}${kind}`, list);
    }
    if (can("create")) this.#create(path, kind, "", own);
    if (can("deletecollection")) this.#deleteCollection(path);
    if (can("get")) this.#get(item, "", own);
    if (can("update")) this.#put(item, "", own);
    if (can("delete")) this.#delete(item, answersSelf ? own : `${meta}.Status`);
    if (can("patch")) this.#patch(item, "", own);
  }

  subresource({ name, kind, verbs }: ApiSubresource): void {
    const item = `${this.#collection}/{name}/${name}`;
    const definition = this.#flavour.custom && name === "status" ? this.#names.kind : definitionOf(kind);
    const gvk = this.#flavour.custom ? this.#resource : kind;
    if (definition === "") {
      for (const verb of verbs) this.#connect(item, name, verb, kind);
      return;
    }
    if (name === "log") {
      this.#add({ ...this.#base(item, "get", "get", "read", name, gvk), codes: [200] });
      return;
    }
    if (verbs.includes("get")) this.#get(item, name, definition, gvk);
    if (verbs.includes("update")) this.#put(item, name, definition, gvk);
    if (verbs.includes("patch")) this.#patch(item, name, definition, gvk);
    if (verbs.includes("create")) this.#create(item, this.#resource.kind, name, definition, gvk);
  }

  #list(path: string, operation: string, answer: string): void {
    const { kind } = this.#resource;
    const words = this.#flavour.custom ? "list" : "list or watch";
    this.#add({
      ...this.#base(path, "get", "list", operation, "", this.#resource),
      description: `${words} objects of kind ${kind}`,
      parameters: this.#parameters(path, listParameters),
      produces: this.#flavour.listMediaTypes,
      answer,
      codes: [200],
    });
  }

  #get(path: string, sub: string, answer: string, gvk: GroupVersionKind = this.#resource): void {
    this.#add({
      ...this.#base(path, "get", "get", "read", sub, gvk),
      description: `read ${of(sub)}the specified ${this.#resource.kind}`,
      parameters: this.#parameters(path, this.#flavour.getParameters),
      answer,
      codes: [200],
    });
  }

  #put(path: string, sub: string, definition: string, gvk: GroupVersionKind = this.#resource): void {
    this.#add({
      ...this.#base(path, "put", "put", "replace", sub, gvk),
      description: `replace ${of(sub)}the specified ${this.#resource.kind}`,
      parameters: this.#parameters(path, writeParameters),
      body: { definition, required: true },
      answer: definition,
      codes: [200, 201],
    });
  }

  #patch(path: string, sub: string, answer: string, gvk: GroupVersionKind = this.#resource): void {
    this.#add({
      ...this.#base(path, "patch", "patch", "patch", sub, gvk),
      description: `partially update ${of(sub)}the specified ${this.#resource.kind}`,
      parameters: this.#parameters(path, patchParameters),
      body: { definition: `${meta}.Patch`, required: true },
      consumes: this.#flavour.patchTypes,
      answer,
      codes: this.#flavour.patchCodes,
    });
  }

  #create(
    path: string,
    kind: string,
    sub: string,
    definition: string,
    gvk: GroupVersionKind = this.#resource,
  ): void {
    this.#add({
      ...this.#base(path, "post", "post", "create", sub, gvk),
      description: `create ${of(sub)}${article(kind)}${kind}`,
      parameters: this.#parameters(path, writeParameters),
      body: { definition, required: true },
      answer: definition,
      codes: [200, 201, 202],
    });
  }

  #delete(path: string, answer: string): void {
    const { kind } = this.#resource;
    this.#add({
      ...this.#base(path, "delete", "delete", "delete", "", this.#resource),
      description: `delete ${article(kind)}${kind}`,
      parameters: this.#parameters(path, deleteParameters),
      body: { definition: `${meta}.DeleteOptions`, required: false },
      answer,
      codes: [200, 202],
    });
  }

  #deleteCollection(path: string): void {
    const ownParameters = this.#flavour.custom
      ? listParameters
      : [
          ...deleteParameters,
          ...listParameters.filter((p) => p.name !== "watch" && p.name !== "allowWatchBookmarks"),
        ];
    this.#add({
      ...this.#base(path, "delete", "deletecollection", "deletecollection", "", this.#resource),
      description: `delete collection of ${this.#resource.kind}`,
      parameters: this.#parameters(path, ownParameters),
      ...(this.#flavour.custom ? {} : { body: { definition: `${meta}.DeleteOptions`, required: false } }),
      answer: `${meta}.Status`,
      codes: [200],
    });
  }

  /** Upgraded and proxied requests: the answer is whatever the other side says. */
  #connect(path: string, sub: string, verb: string, gvk: GroupVersionKind): void {
    const method = connectMethods[verb];
    if (method === undefined) return;
    this.#add({
      ...this.#base(path, method, "connect", `connect${title(method)}`, sub, gvk),
      description: `connect ${method.toUpperCase()} requests to ${of(sub)}${this.#resource.kind}`,
      parameters: this.#parameters(path, []).filter((parameter) => parameter !== prettyParameter),
      consumes: ["*/*"],
      produces: ["*/*"],
      codes: [200],
    });
  }

  /** @param operation the verb of the operation id, or all of it for lists */
  #base(
    path: string,
    method: Method,
    action: string,
    operation: string,
    sub: string,
    gvk: GroupVersionKind,
  ): Omit<Route, "codes"> {
    const whole = operation.startsWith("list")
      ? operation
      : `${operation}${this.#scope}${this.#resource.kind}${title(sub)}`;
    const { group, version } = this.#resource;
    const groupWord = group === "" ? "core" : group.replace(/\.k8s\.io$/, "");
    return {
      path,
      method,
      action,
      operationId: operationId(whole, groupWord, version),
      tag: `${words(groupWord, false)}_${words(version, false)}`,
      description: `${operation} ${of(sub)}the specified ${this.#resource.kind}`,
      gvk: { group: gvk.group, version: gvk.version, kind: gvk.kind },
      parameters: this.#parameters(path, []),
      consumes: this.#flavour.custom ? this.#flavour.mediaTypes : ["*/*"],
      produces: this.#flavour.mediaTypes,
    };
  }

  #parameters(path: string, own: readonly ParameterFact[]): ParameterFact[] {
    const out = [prettyParameter, ...own];
    if (path.includes("{namespace}")) out.push(namespaceParameter);
    if (path.includes("{name}")) out.push(nameParameter(this.#resource.kind));
    return out;
  }

  get #scope(): string {
    return this.#resource.namespaced ? "Namespaced" : "";
  }

  #add(route: Route): void {
    this.routes.push(route);
  }
}

const connectMethods: Readonly<Record<string, Method>> = {
  get: "get",
  create: "post",
  update: "put",
  delete: "delete",
  patch: "patch",
};

/** Resources whose delete answers the object. Source: kubernetes pkg/registry (DeleteReturnsDeletedObject). */
const returnsDeletedObject: ReadonlySet<string> = new Set([
  "persistentvolumeclaims",
  "persistentvolumes",
  "pods",
  "podtemplates",
  "resourcequotas",
  "serviceaccounts",
  "services",
]);

const verbPrefixes = ["connect", "create", "delete", "list", "patch", "read", "replace"];

/** `listNamespacedDeployment` of apps/v1 is `listAppsV1NamespacedDeployment`. */
function operationId(operation: string, group: string, version: string): string {
  const verb = verbPrefixes.find((prefix) => operation.startsWith(prefix)) ?? "";
  return `${verb}${words(group, true)}${words(version, true)}${words(operation.slice(verb.length), true)}`;
}

/** A text without what an operation id may not have, each word after such a place with a capital: `keda.sh` is `KedaSh`. */
function words(text: string, capital: boolean): string {
  let out = "";
  let raise = capital;
  for (const [index, char] of [...text].entries()) {
    if (/[\p{L}_]/u.test(char) || (index > 0 && /\p{Nd}/u.test(char))) {
      out += raise ? char.toUpperCase() : char;
      raise = false;
    } else {
      raise = true;
    }
  }
  return out;
}

function title(text: string): string {
  return text === "" ? "" : `${text[0]?.toUpperCase() ?? ""}${text.slice(1).toLowerCase()}`;
}

function of(subresource: string): string {
  return subresource === "" ? "" : `${subresource} of `;
}

/** `a `, `an `, or nothing before a plural. */
function article(noun: string): string {
  if (noun.endsWith("s") && !noun.endsWith("ss")) return "";
  return /^[aeiou]/i.test(noun) ? "an " : "a ";
}
