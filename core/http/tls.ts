/** Client certificate for mutual TLS, in PEM or PFX. */
export interface TlsOptions {
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly pfx?: string | Buffer;
  readonly passphrase?: string;
  readonly ca?: string | Buffer;
}
