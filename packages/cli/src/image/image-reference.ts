/** Names of images: `registry.example.com:5000/team/shop:v1`. */
import { UsageError } from "../errors.ts";

export interface ImageReference {
  /** Host and perhaps port, as the registry is reached: `registry-1.docker.io`, `127.0.0.1:5000`. */
  readonly registry: string;
  /** The name under which credentials for it are kept: `https://index.docker.io/v1/` for Docker Hub. */
  readonly credentialKey: string;
  /** `team/shop`. */
  readonly repository: string;
  /** Absent when there is a digest and no tag. */
  readonly tag?: string;
  /** `sha256:…`. */
  readonly digest?: string;
  /** Everything spelled out: `docker.io/library/node:22`. */
  readonly text: string;
}

const component = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const host = /^(?:\[[0-9a-fA-F:]+\]|[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?::\d+)?$/;
const tagPattern = /^\w[\w.-]{0,127}$/;
const digestPattern = /^sha256:[0-9a-f]{64}$/;
/** Of the whole repository with its registry, as registries limit it. */
const lengthMax = 255;

/**
 * The grammar is that of github.com/distribution/reference: a first part with a dot or a port, or `localhost`, is the
 * registry; a name without one is on Docker Hub, and there `library/` is left out.
 * @throws UsageError that says what is wrong with the name
 */
export function parseImageReference(text: string): ImageReference {
  const fail = (why: string): never => {
    throw new UsageError(
      `${JSON.stringify(text)} is not the name of an image: ${why}; expected is one like registry.example.com/shop:v1`,
    );
  };
  if (text === "") fail("it is empty");
  const [beforeDigest = "", digest] = splitAt(text, text.indexOf("@"));
  if (digest !== undefined && !digestPattern.test(digest)) fail(`${digest} is not a sha256 digest`);
  const colon = beforeDigest.lastIndexOf(":");
  const [name = "", tag] = splitAt(beforeDigest, colon > beforeDigest.lastIndexOf("/") ? colon : -1);
  if (tag !== undefined && !tagPattern.test(tag)) {
    fail(`the tag ${JSON.stringify(tag)} must be at most 128 letters, digits, dots, dashes and underscores`);
  }
  const [first = "", ...others] = name.split("/");
  const hasHost = others.length > 0 && (/[.:[\]]/.test(first) || first === "localhost");
  const domain = hasHost ? first : "docker.io";
  if (!host.test(domain)) fail(`${JSON.stringify(domain)} is not a host`);
  const path = hasHost ? others : name.split("/");
  const bad = path.find((part) => !component.test(part));
  if (bad !== undefined) {
    fail(
      /[A-Z]/.test(bad)
        ? `the name must be in lower case, and ${JSON.stringify(bad)} is not`
        : `${JSON.stringify(bad)} must be lower-case letters and digits, with single dots, underscores or dashes between them`,
    );
  }
  const isHub = domain === "docker.io" || domain === "index.docker.io";
  const repository = (isHub && path.length === 1 ? ["library", ...path] : path).join("/");
  if (domain.length + repository.length + 1 > lengthMax)
    fail(`it is longer than ${lengthMax} characters without its tag`);
  const shownTag = tag ?? (digest === undefined ? "latest" : undefined);
  return {
    registry: isHub ? "registry-1.docker.io" : domain,
    credentialKey: isHub ? "https://index.docker.io/v1/" : domain,
    repository,
    ...(shownTag === undefined ? {} : { tag: shownTag }),
    ...(digest === undefined ? {} : { digest }),
    text: `${isHub ? "docker.io" : domain}/${repository}${shownTag === undefined ? "" : `:${shownTag}`}${digest === undefined ? "" : `@${digest}`}`,
  };
}

/** Both sides of one character; the whole text when the place is negative. */
function splitAt(text: string, index: number): [string, string?] {
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

/** True for a registry on this machine: such a one may speak plain HTTP. */
export function isLoopback(registry: string): boolean {
  const name = registry.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
  return (
    name === "localhost" || name.endsWith(".localhost") || name === "::1" || /^127(?:\.\d+){3}$/.test(name)
  );
}
