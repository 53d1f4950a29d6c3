/** An authorization server of a company that publishes its keys, closed with its test; the test signs the tokens itself. */
import { createServer } from "node:http";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { listen } from "../../support/resources";

export interface TokenChanges extends JWTPayload {
  readonly expires?: string | undefined;
  /** Type in the header. */
  readonly type?: string;
}

/** Key and algorithm; by default those of the authorization server. */
export type SigningKey = [key?: Parameters<SignJWT["sign"]>[0], algorithm?: string];

export async function startIssuer() {
  const keys = await generateKeyPair("ES256", { extractable: true });
  const publicKey = await exportJWK(keys.publicKey);
  const server = createServer(({ url: path }, response) => {
    const documents: Record<string, object> = {
      "/company/.well-known/openid-configuration": { issuer, jwks_uri: `${issuer}/keys` },
      "/company/keys": { keys: [{ ...publicKey, alg: "ES256", kid: "1" }] },
    };
    const found = path === "/company/keys" && opened.hasFailed ? undefined : documents[path!];
    response.writeHead(found ? 200 : 500).end(JSON.stringify(found ?? {}));
  });
  const issuer = `http://127.0.0.1:${await listen(server)}/company`;
  const opened = {
    issuer,
    keys,
    /** True while the keys cannot be read. */
    hasFailed: false,
    sign: (
      { expires = "5m", type, ...claims }: TokenChanges,
      ...[key = keys.privateKey, alg = "ES256"]: SigningKey
    ) =>
      new SignJWT({ iss: issuer, name: "anna", scope: "read change money", ...claims })
        .setProtectedHeader({ alg, kid: "1", ...(type && { typ: type }) })
        .setExpirationTime(expires)
        .sign(key),
  };
  return opened;
}
