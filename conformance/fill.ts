/** Variables of a case: `${group}`, what earlier steps saved, and texts too long to be written out. */
export type Variables = Record<string, unknown>;

/**
 * A value with its variables filled in: `${name}` is a saved value, `${x*3000}` the character x 3000 times, `${'ab'*50}` the
 * text ab 50 times.
 */
export function fill<T>(value: T, variables: Variables): T {
  const text = JSON.stringify(value)
    .replace(/\$\{(\w)\*(\d+)\}/g, (_match, char: string, count: string) => char.repeat(Number(count)))
    .replace(/\$\{'([^']*)'\*(\d+)\}/g, (_match, part: string, count: string) => part.repeat(Number(count)))
    .replace(/\$\{(\w+)\}/g, (match, name: string) =>
      name in variables ? JSON.stringify(String(variables[name])).slice(1, -1) : match,
    );
  return JSON.parse(text) as T;
}

/** What a JSON pointer finds, or undefined. */
export function pointer(value: unknown, path: string): unknown {
  return path
    .split("/")
    .slice(1)
    .reduce<unknown>((at, step) => {
      if (at === undefined || at === null) return undefined;
      return (at as Record<string, unknown>)[step.replaceAll("~1", "/").replaceAll("~0", "~")];
    }, value);
}
