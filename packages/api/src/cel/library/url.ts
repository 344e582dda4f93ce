/** URLs. Source: Kubernetes' apiserver pkg/cel/library/urls.go. */
import type { CelLibrary } from "../environment.ts";
import { declare, memberOverload, overload } from "../function.ts";
import { NativeMap } from "../native-map.ts";
import { type CelType, celTypes, listType, mapType, structType } from "../type.ts";
import { hostnameOf, type ParsedUrl, parseUrl, portOf, queryOf, requestUriProblem } from "../url.ts";
import { CelError, CelObject, type CelValue, noSuchOverload } from "../value.ts";

const { bool, string } = celTypes;
const urlType: CelType = structType("kubernetes.URL");

class CelUrl extends CelObject {
  readonly url: ParsedUrl;
  constructor(url: ParsedUrl) {
    super();
    this.url = url;
  }
  get type(): CelType {
    return urlType;
  }
  equals(other: CelValue): boolean {
    if (!(other instanceof CelUrl)) throw noSuchOverload();
    return this.url.text === other.url.text;
  }
}

function parse(text: CelValue | undefined): CelUrl {
  const problem = requestUriProblem(text as string);
  if (problem !== undefined) throw new CelError(`URL parse error during conversion from string: ${problem}`);
  return new CelUrl(parseUrl(text as string));
}

function part(name: string, id: string, get: (url: ParsedUrl) => string): CelLibrary["functions"][number] {
  return declare(
    name,
    memberOverload(id, [urlType], string, (value) => get((value as CelUrl).url)),
  );
}

export const urlLibrary: CelLibrary = {
  functions: [
    declare("url", overload("string_to_url", [string], urlType, parse)),
    part("getScheme", "url_get_scheme", (url) => url.scheme),
    part("getHost", "url_get_host", (url) => url.host),
    part("getHostname", "url_get_hostname", (url) => hostnameOf(url.host)),
    part("getPort", "url_get_port", (url) => portOf(url.host)),
    part("getEscapedPath", "url_get_escaped_path", (url) => url.escapedPath),
    declare(
      "getQuery",
      memberOverload(
        "url_get_query",
        [urlType],
        mapType(string, listType(string)),
        (value) => new NativeMap(queryOf((value as CelUrl).url.rawQuery)),
      ),
    ),
    declare(
      "isURL",
      overload("is_url_string", [string], bool, (text) => requestUriProblem(text as string) === undefined),
    ),
  ],
};
