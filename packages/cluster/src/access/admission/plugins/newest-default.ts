/** Which class counts when several say that they are the default one. Source: kubernetes pkg/volume/util (storageclass.go). */
import type { Bucket } from "../../../store/bucket.ts";

/** Name of the newest class that an annotation of `keys` makes the default; of several made in one second the first by name. */
export function newestDefault(classes: Bucket, keys: readonly string[]): string | undefined {
  const defaults = classes
    .list("")
    .map((r) => r.object.metadata)
    .filter(({ annotations }) => keys.some((key) => annotations?.[key] === "true"));
  const ages = defaults.map(({ name = "", creationTimestamp = "" }) => ({ name, creationTimestamp }));
  const older = (a: string, b: string): number => (a < b ? 1 : a > b ? -1 : 0);
  ages.sort((a, b) => older(a.creationTimestamp, b.creationTimestamp) || -older(a.name, b.name));
  return ages[0]?.name;
}
