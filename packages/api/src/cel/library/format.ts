/** Named formats. Source: Kubernetes' apiserver pkg/cel/library/format.go. */
import type { CelLibrary } from "../environment.ts";
import { declare, memberOverload, overload } from "../function.ts";
import { type CelFormat, formatType, namedFormats } from "../named-format.ts";
import { celTypes, listType, optionalType } from "../type.ts";
import { CelOptional, type CelValue } from "../value.ts";

const { string } = celTypes;

function errorsOf(format: CelValue | undefined, text: CelValue | undefined): CelOptional {
  const errors = (format as CelFormat).errors(text as string);
  return errors.length === 0 ? CelOptional.none : new CelOptional(errors);
}

export const formatLibrary: CelLibrary = {
  functions: [
    ...[...namedFormats].map(([name, format]) =>
      declare(
        `format.${name}`,
        overload(`format.${name}`, [], formatType, () => format),
      ),
    ),
    declare(
      "validate",
      memberOverload("format-validate", [formatType, string], optionalType(listType(string)), errorsOf),
    ),
    declare(
      "format.named",
      overload(
        "format-named",
        [string],
        optionalType(formatType),
        (name) => new CelOptional(namedFormats.get(name as string)),
      ),
    ),
  ],
};
