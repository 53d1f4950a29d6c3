/** A service with single-use refresh tokens, and settings to use it. */
import { type Fault, faultServer, type FaultServer, respond, silence } from "./fault-server";

const formOf = (head: string) => new URLSearchParams(head.split("\r\n\r\n")[1]);

const body = (accessToken: string, refreshToken: string) =>
  JSON.stringify({ access_token: accessToken, refresh_token: refreshToken, expires_in: 3_600 });

/**
 * A service that accepts only the newest access token. Its token endpoint treats a reused refresh token as stolen and revokes
 * all its successors.
 */
export class RotatingTokenService {
  readonly credentials = { refreshToken: "refresh-0", authClientId: "app", authClientSecret: "app-secret" };
  /** The valid refresh token. */
  refreshToken = this.credentials.refreshToken;
  /** Refresh token that may be used repeatedly. */
  reusableRefreshToken: string | undefined;
  /** Refresh tokens received by the endpoint. */
  readonly used: string[] = [];
  refusals = 0;
  /** While true, the endpoint accepts requests and does not respond. */
  isSilent = false;
  /** Number of requests without a response. */
  unansweredCount = 0;
  #accessToken = "none";
  #issuedCount = 0;
  readonly #servers: FaultServer[] = [];

  static async start(): Promise<RotatingTokenService> {
    const rotating = new RotatingTokenService();
    const service = await faultServer((socket, number) =>
      rotating.#serve(service.heads[number - 1]!)(socket, number),
    );
    const endpoint = await faultServer((socket, number) =>
      rotating.#renew(formOf(endpoint.heads[number - 1]!).get("refresh_token")!)(socket, number),
    );
    rotating.#servers.push(service, endpoint);
    return rotating;
  }

  get addresses() {
    const [service, endpoint] = this.#servers;
    return { baseUrl: service!.url, authUrl: endpoint!.url };
  }

  #serve(head: string): Fault {
    if (!head.includes(`Bearer ${this.#accessToken}\r\n`)) return respond(401);
    return head.startsWith("GET") ? respond(200, "[]") : respond(201, '{"trade_id":"t-1"}');
  }

  #renew(refreshToken: string): Fault {
    if (this.isSilent) {
      this.unansweredCount += 1;
      return silence;
    }
    const isReused = this.used.includes(refreshToken);
    this.used.push(refreshToken);
    if (refreshToken !== this.reusableRefreshToken && (isReused || refreshToken !== this.refreshToken)) {
      this.refusals += 1;
      if (isReused) this.refreshToken = "none";
      return respond(400, '{"error":"invalid_grant"}');
    }
    this.#issuedCount += 1;
    this.#accessToken = `access-token-${this.#issuedCount}`;
    this.refreshToken = `refresh-${this.#issuedCount}`;
    return respond(200, body(this.#accessToken, this.refreshToken));
  }

  /** Rejects all access tokens issued so far. */
  revoke(): void {
    this.#accessToken = "none";
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }
}
