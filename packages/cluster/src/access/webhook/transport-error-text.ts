/** What goes wrong between two servers, in the words that a Go program has for it, since those are in the API's errors. */

interface NodeError {
  readonly code?: string;
  readonly message?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  readonly host?: string;
  readonly cert?: { readonly subjectaltname?: string };
}

const x509 = "tls: failed to verify certificate: x509";

/** Source: Go net, crypto/x509. */
export function transportErrorText(error: unknown): string {
  const { code = "", message = String(error), address = "", port = "", hostname = "" } = error as NodeError;
  switch (code) {
    case "ECONNREFUSED":
      return `dial tcp ${joinHostPort(address, port)}: connect: connection refused`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `dial tcp: lookup ${hostname}: no such host`;
    case "EHOSTUNREACH":
      return `dial tcp ${joinHostPort(address, port)}: connect: no route to host`;
    case "ECONNRESET":
      return "EOF";
    case "EPROTO":
      return "http: server gave HTTP response to HTTPS client";
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "CERT_SIGNATURE_FAILURE":
      return `${x509}: certificate signed by unknown authority`;
    case "CERT_HAS_EXPIRED":
    case "CERT_NOT_YET_VALID":
      return `${x509}: certificate has expired or is not yet valid`;
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return wrongNameText(error as NodeError);
    default:
      return message;
  }
}

/** Node lists the names as `DNS:a, DNS:b, IP Address:1.2.3.4`. */
function wrongNameText({ cert, host: wanted = "" }: NodeError): string {
  const names = cert?.subjectaltname ?? "";
  const isAddress = /^[\d.]+$|:/.test(wanted);
  const prefix = isAddress ? "IP Address:" : "DNS:";
  const valid = names
    .split(", ")
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length));
  if (valid.length > 0) return `${x509}: certificate is valid for ${valid.join(", ")}, not ${wanted}`;
  return isAddress
    ? `${x509}: cannot validate certificate for ${wanted} because it doesn't contain any IP SANs`
    : `${x509}: certificate is not valid for any names, but wanted to match ${wanted}`;
}

function joinHostPort(host: string, port: string | number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** An answer that is not 2xx. Source: apimachinery api/errors NewGenericServerResponse. */
export function unexpectedAnswerText(status: number, body: string): string {
  switch (status) {
    case 401:
      return "the server has asked for the client to provide credentials";
    case 403:
      return body;
    case 404:
      return "the server could not find the requested resource";
    case 405:
      return "the server does not allow this method on the requested resource";
    case 429:
      return "the server has received too many requests and has asked us to try again later";
    case 503:
      return "the server is currently unable to handle the request";
    case 504:
      return "the server was unable to return a response in the time allotted, but may still be processing the request";
    default:
      return status >= 500
        ? `an error on the server (${JSON.stringify(body.trim())}) has prevented the request from succeeding`
        : `the server responded with the status code ${status} but did not return further information`;
  }
}
