/** How Go's fmt prints decoded JSON, where its texts reach clients in error messages. */

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The type of a decoded JSON value: `map[string]interface {}`, `int64`. */
export function goTypeName(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (isRecord(value)) return "map[string]interface {}";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int64";
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    case "string":
      return "string";
    default:
      return "%!s(<nil>)";
  }
}

/** The value as %v prints it: `map[a:1 b:[x y]]`. */
export function goValueText(value: unknown): string {
  if (value === undefined || value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goValueText).join(" ")}]`;
  if (typeof value === "number") return goNumberText(value);
  if (!isRecord(value)) return String(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, item]) => `${key}:${goValueText(item)}`).join(" ")}]`;
}

/** %v prints a float with an exponent from 1e21 on and below 1e-4, and the exponent with two digits. */
export function goNumberText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return String(value);
  const small = value !== 0 && Math.abs(value) < 1e-4;
  return (small ? value.toExponential() : String(value)).replace(/e([+-])([0-9])$/, "e$10$2");
}
