/** Property names as CEL identifiers: `a-b` is `a__dash__b`. Source: apiserver pkg/cel/escaping.go. */

const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

const replacements: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};
const originals: Readonly<Record<string, string>> = { underscores: "__", dot: ".", dash: "-", slash: "/" };

/** The identifier of a property; undefined when it has characters that no identifier can stand for. */
export function escapeName(name: string): string | undefined {
  if (name === "" || /^[0-9]/.test(name)) return undefined;
  if (reserved.has(name)) return `__${name}__`;
  if (/[^A-Za-z0-9_.\-/]/.test(name)) return undefined;
  return name.replace(/__|[.\-/]/g, (part) => replacements[part] as string);
}

/** The name itself, when it is a word that expressions may also use unescaped after a dot: `self.namespace`. */
export function keywordAlias(name: string): string | undefined {
  return reserved.has(name) ? name : undefined;
}

/** The property of an identifier; undefined when it holds an unknown escape. */
export function unescapeName(identifier: string): string | undefined {
  let valid = true;
  const name = identifier.replace(/__[^_]+__/g, (part) => {
    const content = part.slice(2, -2);
    const original = originals[content];
    if (original !== undefined) return original;
    if (!reserved.has(content) || part.length !== identifier.length) valid = false;
    return content;
  });
  return valid ? name : undefined;
}
