/** Options of TLS, and errors that a setting of the connection corrects. */
import type { SecureVersion } from "node:tls";
import { NetworkMisconfigured } from "./transport-errors";

/** Client certificate for mutual TLS, in PEM or PFX, and what is accepted from the server. */
export interface TlsOptions {
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly pfx?: string | Buffer;
  readonly passphrase?: string;
  /** Replaces the authorities that Node.js trusts. */
  readonly ca?: string | Buffer | (string | Buffer)[];
  readonly minVersion?: SecureVersion;
}

/** OpenSSL's codes for a certificate whose authority is unknown. */
const untrustedCodes = new Set([
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

const messages: Readonly<Record<string, string>> = {
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    "The server requires a client certificate. Set clientCertificate (FXDESK_CLIENT_CERTIFICATE).",
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION:
    "The server does not support the minimum TLS version (minTlsVersion).",
  ERR_SSL_UNSUPPORTED_PROTOCOL: "The server does not support the minimum TLS version (minTlsVersion).",
};

const untrustedMessage = (host: string, code: string) =>
  `The certificate of ${host} is from an authority that is not trusted here (${code}). If your network inspects TLS, or the server ` +
  "has its own authority, set ca (FXDESK_CA) to the file of that authority's certificate.";

/** Returns the error itself, or one that names the setting that corrects it. */
export function explainTlsError(error: Error, host: string): Error {
  const { code = "" } = error as NodeJS.ErrnoException;
  const message = untrustedCodes.has(code) ? untrustedMessage(host, code) : messages[code];
  return message === undefined ? error : new NetworkMisconfigured(message, { cause: error });
}
