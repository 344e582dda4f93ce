/** A selector that cannot be read. The message is the API server's, which answers 400 with it. */
export class SelectorError extends Error {
  override readonly name: string = "SelectorError";
}
