import type { ParameterFact } from "./parameters.ts";
import type { Route } from "./route.ts";

/** Routes by path, each with the parameters that every operation of the path has, which are said once for the path. */
export function groupByPath(
  routes: readonly Route[],
): Map<string, { routes: Route[]; common: ParameterFact[] }> {
  const paths = new Map<string, { routes: Route[]; common: ParameterFact[] }>();
  for (const route of routes) {
    const entry = paths.get(route.path);
    if (entry === undefined) paths.set(route.path, { routes: [route], common: [] });
    else entry.routes.push(route);
  }
  for (const entry of paths.values()) {
    const [first, ...others] = entry.routes;
    const everywhere = (parameter: ParameterFact): boolean =>
      others.every((route) => route.parameters.some((other) => other.name === parameter.name));
    entry.common = sorted((first?.parameters ?? []).filter(everywhere));
  }
  return paths;
}

/** The parameters of an operation that are not said for its path. */
export function ownParameters(route: Route, common: readonly ParameterFact[]): ParameterFact[] {
  return sorted(
    route.parameters.filter((parameter) => !common.some((other) => other.name === parameter.name)),
  );
}

function sorted(parameters: ParameterFact[]): ParameterFact[] {
  return [...parameters].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}
