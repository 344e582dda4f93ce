/** The formats that expressions can name. Source: Kubernetes' apiserver pkg/cel/format.go, pkg/cel/library/format.go. */
import {
  dns1035LabelErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelValueErrors,
  type NameCheck,
  qualifiedNameErrors,
} from "../object/name.ts";
import { stringFormats } from "../schema/formats.ts";
import { type CelType, structType } from "./type.ts";
import { requestUriProblem } from "./url.ts";
import { CelObject, type CelValue, noSuchOverload } from "./value.ts";

export const formatType: CelType = structType("kubernetes.NamedFormat");

export class CelFormat extends CelObject {
  readonly name: string;
  readonly errors: NameCheck;
  /** Length of the pattern that it is taken for by costs. */
  readonly patternSize: number;

  constructor(name: string, patternSize: number, errors: NameCheck) {
    super();
    this.name = name;
    this.patternSize = patternSize;
    this.errors = errors;
  }

  get type(): CelType {
    return formatType;
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof CelFormat)) throw noSuchOverload();
    return this.name === other.name;
  }
}

/** A check of names that may be continued: what stands before a final dash must be right. */
function asPrefix(check: NameCheck): NameCheck {
  return (value) => check(value.length > 1 && value.endsWith("-") ? `${value.slice(0, -2)}a` : value);
}

function known(format: string, message: string): NameCheck {
  return (value) => (stringFormats.get(format)?.(value) === true ? [] : [message]);
}

const uri: NameCheck = (value) => {
  const problem = requestUriProblem(value);
  return problem === undefined ? [] : [problem];
};

/** All formats by the name that expressions use. */
export const namedFormats: ReadonlyMap<string, CelFormat> = new Map([
  ["dns1123Label", new CelFormat("DNS1123Label", 30, dns1123LabelErrors)],
  ["dns1123Subdomain", new CelFormat("DNS1123Subdomain", 60, dns1123SubdomainErrors)],
  ["dns1035Label", new CelFormat("DNS1035Label", 30, dns1035LabelErrors)],
  ["qualifiedName", new CelFormat("QualifiedName", 60, qualifiedNameErrors)],
  ["dns1123LabelPrefix", new CelFormat("DNS1123LabelPrefix", 30, asPrefix(dns1123LabelErrors))],
  ["dns1123SubdomainPrefix", new CelFormat("DNS1123SubdomainPrefix", 60, asPrefix(dns1123SubdomainErrors))],
  ["dns1035LabelPrefix", new CelFormat("DNS1035LabelPrefix", 30, asPrefix(dns1035LabelErrors))],
  ["labelValue", new CelFormat("LabelValue", 40, labelValueErrors)],
  ["uri", new CelFormat("URI", 1103, uri)],
  ["uuid", new CelFormat("uuid", 70, known("uuid", "does not match the UUID format"))],
  ["byte", new CelFormat("byte", 84, known("byte", "invalid base64"))],
  ["date", new CelFormat("date", 71, known("date", "invalid date"))],
  ["datetime", new CelFormat("datetime", 71, known("datetime", "invalid datetime"))],
]);
