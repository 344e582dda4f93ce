/** One thing that is wrong. */
export interface Finding {
  /** What was looked at, a stable word for programs: `crd-not-established`. */
  readonly check: string;
  /** The object, file or address: `customresourcedefinition widgets.apps.example.com`. */
  readonly where: string;
  readonly what: string;
  /** What to do about it. */
  readonly todo: string;
}
