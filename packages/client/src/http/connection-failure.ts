import { ConnectionError, isConnectionError } from "../errors.ts";

/** What the codes of Node, TLS and the HTTP parser mean to the person who reads the message. */
const explanations: Record<string, string> = {
  ECONNREFUSED: "connection refused; is the API server running there?",
  ENOTFOUND: "the host name does not resolve",
  EAI_AGAIN: "the host name cannot be resolved just now",
  EHOSTUNREACH: "there is no route to the host",
  ENETUNREACH: "there is no route to the network",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed",
  UND_ERR_SOCKET: "the server closed the connection",
  SELF_SIGNED_CERT_IN_CHAIN:
    "its certificate comes from an authority that is not trusted; check certificate-authority",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed and not trusted; check certificate-authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "its certificate comes from an authority that is not trusted; check certificate-authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "its certificate comes from an authority that is not trusted; check certificate-authority",
  CERT_SIGNATURE_FAILURE:
    "its certificate was not signed by the trusted authority; check certificate-authority",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet; is the clock right?",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "its certificate is for another name; check the server address or tls-server-name",
  ERR_SSL_WRONG_VERSION_NUMBER: "the port does not speak TLS; should the address begin with http://?",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "the port does not speak TLS; should the address begin with http://?",
};

/** The error of a failed exchange as one with a clear text that names the server; the original is its cause. */
export function connectionFailure(server: string, asked: string, error: unknown): ConnectionError {
  if (isConnectionError(error)) return error;
  const { code, message, name } = error as { code?: string; message?: string; name?: string };
  const known = code === undefined ? undefined : explanations[code];
  const foreign =
    name === "HTTPParserError"
      ? "the port does not speak HTTP; should the address begin with https://?"
      : undefined;
  const detail = known ?? foreign ?? message;
  return new ConnectionError(`${asked}: no answer from ${server}: ${detail || String(error)}`, {
    cause: error,
  });
}
