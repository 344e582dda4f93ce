/** Semantic versions. Source: Kubernetes' apiserver pkg/cel/library/semverlib.go; blang/semver for the rules and texts. */
import { quote } from "../../status/field-error.ts";
import type { CelLibrary } from "../environment.ts";
import { declare, memberOverload, overload } from "../function.ts";
import { type CelType, celTypes, structType } from "../type.ts";
import { CelError, CelObject, type CelValue, intValue, noSuchOverload } from "../value.ts";

const { bool, int, string } = celTypes;
const semverType: CelType = structType("kubernetes.Semver");

class CelSemver extends CelObject {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly prerelease: readonly string[];

  constructor(numbers: readonly [bigint, bigint, bigint], prerelease: readonly string[]) {
    super();
    this.numbers = numbers;
    this.prerelease = prerelease;
  }

  get type(): CelType {
    return semverType;
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof CelSemver)) throw noSuchOverload();
    return compareVersions(this, other) === 0;
  }
}

function compareVersions(a: CelSemver, b: CelSemver): number {
  for (const [i, number] of a.numbers.entries()) {
    const other = b.numbers[i] as bigint;
    if (number !== other) return number > other ? 1 : -1;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return Math.sign(b.prerelease.length - a.prerelease.length);
  }
  return comparePrereleases(a.prerelease, b.prerelease);
}

function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = compareIdentifiers(a[i] as string, b[i] as string);
    if (order !== 0) return order;
  }
  return Math.sign(a.length - b.length);
}

/** Numbers come before words. */
function compareIdentifiers(a: string, b: string): number {
  const [aNumeric, bNumeric] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (aNumeric && bNumeric) return BigInt(a) === BigInt(b) ? 0 : BigInt(a) > BigInt(b) ? 1 : -1;
  if (aNumeric !== bNumeric) return aNumeric ? -1 : 1;
  return a === b ? 0 : a > b ? 1 : -1;
}

function parse(text: string): CelSemver {
  if (text === "") throw new CelError("Version string empty");
  const [major, minor, ...rest] = text.split(".");
  if (minor === undefined || rest.length === 0) throw new CelError("No Major.Minor.Patch elements found");
  const first = parseNumber(major as string, "major");
  const second = parseNumber(minor, "minor");
  const tail = rest.join(".");
  const plus = tail.indexOf("+");
  const build = plus < 0 ? [] : tail.slice(plus + 1).split(".");
  const body = plus < 0 ? tail : tail.slice(0, plus);
  const dash = body.indexOf("-");
  const prerelease = dash < 0 ? [] : body.slice(dash + 1).split(".");
  const third = parseNumber(dash < 0 ? body : body.slice(0, dash), "patch");
  prerelease.forEach(checkPrerelease);
  build.forEach(checkBuild);
  return new CelSemver([first, second, third], prerelease);
}

function parseNumber(text: string, name: "major" | "minor" | "patch"): bigint {
  if (!/^\d*$/.test(text)) throw new CelError(`Invalid character(s) found in ${name} number ${quote(text)}`);
  if (/^0\d/.test(text)) {
    const title = name.charAt(0).toUpperCase() + name.slice(1);
    throw new CelError(`${title} number must not contain leading zeroes ${quote(text)}`);
  }
  if (text === "") throw new CelError('strconv.ParseUint: parsing "": invalid syntax');
  const value = BigInt(text);
  if (value < 2n ** 64n) return value;
  throw new CelError(`strconv.ParseUint: parsing ${quote(text)}: value out of range`);
}

function checkPrerelease(part: string): void {
  if (part === "") throw new CelError("Prerelease is empty");
  if (/^0\d+$/.test(part)) {
    throw new CelError(`Numeric PreRelease version must not contain leading zeroes ${quote(part)}`);
  }
  if (!/^[0-9A-Za-z-]+$/.test(part))
    throw new CelError(`Invalid character(s) found in prerelease ${quote(part)}`);
}

function checkBuild(part: string): void {
  if (part === "") throw new CelError("Build meta data is empty");
  if (!/^[0-9A-Za-z-]+$/.test(part))
    throw new CelError(`Invalid character(s) found in build meta data ${quote(part)}`);
}

/** Takes a leading `v`, leading zeros and missing parts. */
function normalize(text: string): string {
  const [major = "", minor, ...rest] = text.replace(/^v/, "").split(".");
  const parts = [
    major,
    ...(minor === undefined ? [] : [minor]),
    ...(rest.length === 0 ? [] : [rest.join(".")]),
  ];
  const trimmed = parts.map((part) => {
    if (part.length <= 1) return part;
    const bare = part.replace(/^0+/, "");
    return /^\d/.test(bare) ? bare : `0${bare}`;
  });
  if (trimmed.length < 3 && /[+-]/.test(trimmed.at(-1) ?? "")) {
    throw new CelError("short version cannot contain PreRelease/Build meta data");
  }
  while (trimmed.length < 3) trimmed.push("0");
  return trimmed.join(".");
}

function parseValue(text: CelValue | undefined, normalized: CelValue | undefined): CelSemver {
  return parse(normalized === true ? normalize(text as string) : (text as string));
}

function isSemver(text: CelValue | undefined, normalized: CelValue | undefined): boolean {
  try {
    parseValue(text, normalized);
    return true;
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}

function order(a: CelValue | undefined, b: CelValue | undefined): number {
  return compareVersions(a as CelSemver, b as CelSemver);
}

function part(index: 0 | 1 | 2): (value: CelValue | undefined) => number | bigint {
  return (value) => intValue(BigInt.asIntN(64, (value as CelSemver).numbers[index]));
}

const pair = [semverType, semverType];

export const semverLibrary: CelLibrary = {
  functions: [
    declare(
      "semver",
      overload("string_to_semver", [string], semverType, (text) => parseValue(text, false)),
      overload("string_bool_to_semver", [string, bool], semverType, parseValue),
    ),
    declare(
      "isSemver",
      overload("is_semver_string", [string], bool, (text) => isSemver(text, false)),
      overload("is_semver_string_bool", [string, bool], bool, isSemver),
    ),
    declare(
      "isGreaterThan",
      memberOverload("semver_is_greater_than", pair, bool, (a, b) => order(a, b) > 0),
    ),
    declare(
      "isLessThan",
      memberOverload("semver_is_less_than", pair, bool, (a, b) => order(a, b) < 0),
    ),
    declare("compareTo", memberOverload("semver_compare_to", pair, int, order)),
    declare("major", memberOverload("semver_major", [semverType], int, part(0))),
    declare("minor", memberOverload("semver_minor", [semverType], int, part(1))),
    declare("patch", memberOverload("semver_patch", [semverType], int, part(2))),
  ],
};
