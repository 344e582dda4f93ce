/** Each check gives the API server's sentences about what is wrong, to be used as details of a FieldError; empty when valid. */
export type NameCheck = (value: string) => readonly string[];

/** Names of namespaces and most subdomain parts: `my-name`, at most 63 characters. */
export declare const dns1123LabelErrors: NameCheck;
/** Names of most objects: `example.com`, at most 253 characters. */
export declare const dns1123SubdomainErrors: NameCheck;
/** Names of services: `my-name`, starting with a letter. */
export declare const dns1035LabelErrors: NameCheck;
/** Label and annotation keys, finalizers: `example.com/my-name`. */
export declare const qualifiedNameErrors: NameCheck;
/** Label values: `my_value`, may be empty. */
export declare const labelValueErrors: NameCheck;
/** Names that become a path segment: anything but `.`, `..`, `/` and `%`. */
export declare const pathSegmentNameErrors: NameCheck;

/**
 * A name from a `generateName` prefix: five characters of an alphabet without vowels and look-alikes.
 * @param random `next()` in [0, 1)
 */
export declare function generatedName(prefix: string, random: { next(): number }): string;
