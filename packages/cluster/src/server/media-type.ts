/** One media range of an Accept header, or a Content-Type: `application/json;as=Table;g=meta.k8s.io;v=v1`. */
export interface MediaType {
  /** Lower case: `application/json`, `application/*`. */
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly quality: number;
}

/** Reads one media type; parameter names in lower case, quotes removed. */
export function parseMediaType(text: string): MediaType {
  const [type = "", ...rest] = text.split(";");
  const parameters: Record<string, string> = {};
  let quality = 1;
  for (const part of rest) {
    const equals = part.indexOf("=");
    if (equals < 0) continue;
    const name = part.slice(0, equals).trim().toLowerCase();
    const value = part
      .slice(equals + 1)
      .trim()
      .replace(/^"(.*)"$/, "$1");
    if (name === "q") quality = Number.parseFloat(value);
    else parameters[name] = value;
  }
  return { type: type.trim().toLowerCase(), parameters, quality: Number.isNaN(quality) ? 0 : quality };
}

/**
 * Reads an Accept header, best first: by quality, then more specific ranges, then as written.
 * Source: k8s.io/apiserver pkg/endpoints/handlers/negotiation (goautoneg).
 */
export function parseAccept(header: string): MediaType[] {
  return header
    .split(",")
    .map((part, index) => ({ ...parseMediaType(part), index }))
    .filter((media) => media.type !== "")
    .sort((a, b) => b.quality - a.quality || specificity(b) - specificity(a) || a.index - b.index);
}

function specificity(media: MediaType): number {
  if (media.type === "*/*") return 0;
  return media.type.endsWith("/*") ? 1 : 2;
}

/** Whether a range of an Accept header admits a concrete type. */
export function admits(range: string, type: string): boolean {
  return range === "*/*" || range === type || (range.endsWith("/*") && type.startsWith(range.slice(0, -1)));
}
