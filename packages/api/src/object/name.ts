/**
 * The forms of names. Source of the rules and their wordings: k8s.io/apimachinery pkg/util/validation (validation.go) and
 * pkg/api/validate/content (kube.go, path.go). The two say "characters" and "bytes" for the same limit, and so do we.
 */

/** Each check gives the API server's sentences about what is wrong, to be used as details of a FieldError; empty when valid. */
export type NameCheck = (value: string) => readonly string[];

const valid: readonly string[] = [];
const labelLengthMax = 63;
const subdomainLengthMax = 253;

const dns1123Label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const dns1123Subdomain = `${dns1123Label}(\\.${dns1123Label})*`;
const dns1035Label = "[a-z]([-a-z0-9]*[a-z0-9])?";
const labelKeyName = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelValue = `(${labelKeyName})?`;

const dns1123LabelPattern = new RegExp(`^${dns1123Label}$`);
const dns1123SubdomainPattern = new RegExp(`^${dns1123Subdomain}$`);
const dns1035LabelPattern = new RegExp(`^${dns1035Label}$`);
const labelKeyNamePattern = new RegExp(`^${labelKeyName}$`);
const labelValuePattern = new RegExp(`^${labelValue}$`);

const alphanumericEnds = "must start and end with an alphanumeric character";
const dns1123LabelText = explain(
  `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and ${alphanumericEnds}`,
  dns1123Label,
  ["my-name", "123-abc"],
);
const dns1123SubdomainText = explain(
  `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and ${alphanumericEnds}`,
  dns1123Subdomain,
  ["example.com"],
);
const dns1035LabelText = explain(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  dns1035Label,
  ["my-name", "abc-123"],
);
const labelKeyText = explain(
  `must consist of alphanumeric characters, '-', '_' or '.', and ${alphanumericEnds}`,
  labelKeyName,
  ["MyName", "my.name", "123-abc"],
);
const labelValueText = explain(
  `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and ${alphanumericEnds}`,
  labelValue,
  ["MyValue", "my_value", "12345"],
);

/** One label of a domain name, as names of namespaces are: `my-name`, at most 63 characters. */
export const dns1123LabelErrors: NameCheck = (value) => {
  if (dns1123LabelPattern.test(value))
    return value.length > labelLengthMax ? [tooLong(labelLengthMax)] : valid;
  const shape = dns1123SubdomainPattern.test(value) ? "must not contain dots" : dns1123LabelText;
  return byteLength(value) > labelLengthMax ? [tooLong(labelLengthMax), shape] : [shape];
};

/** A domain name, as names of most objects are: `example.com`, at most 253 characters. */
export const dns1123SubdomainErrors: NameCheck = (value) =>
  formErrors(
    value,
    dns1123SubdomainPattern,
    dns1123SubdomainText,
    tooLong(subdomainLengthMax),
    subdomainLengthMax,
  );

/** A domain label that starts with a letter, as names of services are: `my-name`, at most 63 characters. */
export const dns1035LabelErrors: NameCheck = (value) =>
  formErrors(value, dns1035LabelPattern, dns1035LabelText, tooLong(labelLengthMax), labelLengthMax);

/** Keys of labels and annotations, finalizers: `example.com/my-name` or `my-name`. */
export const qualifiedNameErrors: NameCheck = (value) => {
  const parts = value.split("/");
  if (parts.length > 2) {
    return [
      `a valid label key ${labelKeyText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const [prefix, name] = parts.length === 2 ? parts : [undefined, value];
  return [...prefixErrors(prefix), ...keyNameErrors(name ?? "")];
};

/** Values of labels: `my_value`, may be empty, at most 63 bytes. */
export const labelValueErrors: NameCheck = (value) =>
  formErrors(value, labelValuePattern, labelValueText, tooManyBytes(labelLengthMax), labelLengthMax);

/** Names that only have to fit into a path: anything but `.`, `..` and what contains `/` or `%`. */
export const pathSegmentNameErrors: NameCheck = (value) => {
  if (value === "." || value === "..") return [`may not be '${value}'`];
  const found = ["/", "%"].filter((part) => value.includes(part));
  return found.length === 0 ? valid : found.map((part) => `may not contain '${part}'`);
};

/** Vowels are missing so that no words arise, and the digits that look like letters. Source: apimachinery pkg/util/rand. */
const suffixAlphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const generatedLengthMax = 63;

/**
 * A name from a `generateName` prefix: the prefix, cut to leave room, and five characters.
 * @param random `next()` gives numbers in [0, 1)
 */
export function generatedName(prefix: string, random: { next(): number }): string {
  let name = prefix.slice(0, generatedLengthMax - suffixLength);
  for (let i = 0; i < suffixLength; i++)
    name += suffixAlphabet[Math.floor(random.next() * suffixAlphabet.length)];
  return name;
}

function formErrors(
  value: string,
  pattern: RegExp,
  shape: string,
  long: string,
  lengthMax: number,
): readonly string[] {
  if (pattern.test(value)) return value.length > lengthMax ? [long] : valid;
  return byteLength(value) > lengthMax ? [long, shape] : [shape];
}

function prefixErrors(prefix: string | undefined): readonly string[] {
  if (prefix === undefined) return valid;
  if (prefix === "") return ["prefix part must be non-empty"];
  const long = tooManyBytes(subdomainLengthMax);
  const errors = formErrors(prefix, dns1123SubdomainPattern, dns1123SubdomainText, long, subdomainLengthMax);
  return errors.map((error) => `prefix part ${error}`);
}

function keyNameErrors(name: string): readonly string[] {
  const errors: string[] = [];
  if (name === "") errors.push("name part must be non-empty");
  else if (byteLength(name) > labelLengthMax) errors.push(`name part ${tooManyBytes(labelLengthMax)}`);
  if (!labelKeyNamePattern.test(name)) errors.push(`name part ${labelKeyText}`);
  return errors;
}

function explain(rule: string, pattern: string, examples: readonly string[]): string {
  const quoted = examples.map((example) => `'${example}', `).join(" or ");
  return `${rule} (e.g. ${quoted}regex used for validation is '${pattern}')`;
}

function tooLong(max: number): string {
  return `must be no more than ${max} characters`;
}

function tooManyBytes(max: number): string {
  return `must be no more than ${max} bytes`;
}

/** Length in UTF-8, which is what Go's len counts. */
function byteLength(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) bytes += code > 0x7ff && (code & 0xf800) !== 0xd800 ? 2 : 1;
  }
  return bytes;
}
