/** Values as Go's `%v` prints them in error messages. */
import { formatDouble } from "./number-text.ts";
import { formatDuration, formatTimestamp } from "./time.ts";
import {
  CelDouble,
  CelDuration,
  CelListBase,
  CelTimestamp,
  CelUint,
  type CelValue,
  isList,
  listItems,
  typeOfValue,
} from "./value.ts";

export function valueText(value: CelValue): string {
  if (value === null) return "null";
  if (typeof value !== "object") return String(value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelDouble) return formatDouble(value.value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelDuration) return formatDuration(value);
  if (Array.isArray(value) || value instanceof CelListBase) {
    return isList(value) ? `[${listItems(value).map(valueText).join(", ")}]` : "";
  }
  return typeOfValue(value).name;
}
