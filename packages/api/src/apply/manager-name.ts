/**
 * The name that a write without server-side apply is recorded under: the `fieldManager` parameter, else the user agent up to
 * its first slash, without unprintable characters and at most 128 bytes. Source: apiserver endpoints/handlers (create.go).
 */
export function managerName(fieldManager: string | undefined, userAgent: string | undefined): string {
  if (fieldManager !== undefined && fieldManager !== "") return fieldManager;
  let name = "";
  let bytes = 0;
  for (const char of (userAgent ?? "").split("/", 1)[0] ?? "") {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char)) continue;
    const code = char.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (bytes > maxManagerBytes) break;
    name += char;
  }
  return name;
}

/** Longest name of a field manager. Source: apimachinery meta/v1/validation FieldManagerMaxLength. */
const maxManagerBytes = 128;
