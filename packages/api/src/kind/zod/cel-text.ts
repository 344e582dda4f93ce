/** Texts as CEL source: strings and field names. */

/** A CEL string literal. */
export function celString(text: string): string {
  const escaped = text
    .replace(/[\\']/g, "\\$&")
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t");
  return `'${escaped}'`;
}

/** Names that CEL keeps for itself. Source: apiserver pkg/cel (escaping.go). */
const reserved: ReadonlySet<string> = new Set([
  "true",
  "false",
  "null",
  "in",
  "as",
  "break",
  "const",
  "continue",
  "else",
  "for",
  "function",
  "if",
  "import",
  "let",
  "loop",
  "package",
  "namespace",
  "return",
  "var",
  "void",
  "while",
]);

const escapes: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

/** A property's name as CEL rules write it: `my-field` is `my__dash__field`. */
export function celField(name: string): string {
  if (reserved.has(name)) return `__${name}__`;
  return name.replace(/__|[.\-/]/g, (part) => escapes[part] ?? part);
}

/** Whether a property can be named in a rule at all. */
export function isCelField(name: string): boolean {
  return /^[a-zA-Z_.\-/][a-zA-Z0-9_.\-/]*$/.test(name);
}
