/** A device with passkeys, in software: it answers the options of a page as a browser would. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";

/** What a response says about itself; a test changes one of these. */
export interface Ceremony {
  readonly origin: string;
  readonly host?: string;
  readonly isVerified?: boolean;
  readonly type?: string;
}

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest();
const base64url = (data: Uint8Array) => Buffer.from(data).toString("base64url");

export class Authenticator {
  readonly id = randomBytes(16);
  readonly #key: KeyObject;
  readonly #publicKey: Buffer;
  /** Number of uses; stays 0 for a device that does not count. */
  #counter = 0;

  constructor(private readonly counts = true) {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { x, y } = publicKey.export({ format: "jwk" });
    this.#key = privateKey;
    const coordinate = (text: string) => new Uint8Array(Buffer.from(text, "base64url"));
    // COSE: key type EC2, algorithm ES256, curve P-256.
    const entries: [number, number | Uint8Array][] = [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, coordinate(x!)],
      [-3, coordinate(y!)],
    ];
    this.#publicKey = Buffer.from(isoCBOR.encode(new Map(entries)));
  }

  /** Returns the JSON of a new passkey. */
  create(challenge: string, ceremony: Ceremony): string {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, this.#publicKey]);
    const authData = new Uint8Array(Buffer.concat([this.#authenticatorData(0x40, ceremony), attested]));
    const attestation = new Map<string, string | Uint8Array | Map<string, string>>([
      ["fmt", "none"],
      ["attStmt", new Map<string, string>()],
      ["authData", authData],
    ]);
    return this.#toJson(
      { attestationObject: base64url(isoCBOR.encode(attestation)), transports: ["usb"] },
      this.#clientData("webauthn.create", challenge, ceremony),
    );
  }

  /** Returns the JSON of a signed challenge. */
  use(challenge: string, ceremony: Ceremony): string {
    if (this.counts) this.#counter += 1;
    const clientData = this.#clientData("webauthn.get", challenge, ceremony);
    const authenticatorData = this.#authenticatorData(0, ceremony);
    const signature = sign("sha256", Buffer.concat([authenticatorData, sha256(clientData)]), this.#key);
    return this.#toJson(
      { authenticatorData: base64url(authenticatorData), signature: base64url(signature) },
      clientData,
    );
  }

  #clientData(type: string, challenge: string, { origin, type: given = type }: Ceremony): Buffer {
    return Buffer.from(JSON.stringify({ type: given, challenge, origin, crossOrigin: false }));
  }

  /** Flags: user present 1, user verified 4, credential attached 64. */
  #authenticatorData(
    flags: number,
    { origin, host = new URL(origin).hostname, isVerified = true }: Ceremony,
  ) {
    const data = Buffer.alloc(5);
    data.writeUInt8(flags | 1 | (isVerified ? 4 : 0));
    data.writeUInt32BE(this.#counter, 1);
    return Buffer.concat([sha256(host), data]);
  }

  #toJson(response: object, clientData: Buffer): string {
    const id = base64url(this.id);
    return JSON.stringify({
      id,
      rawId: id,
      type: "public-key",
      response: { ...response, clientDataJSON: base64url(clientData) },
      clientExtensionResults: {},
    });
  }
}
