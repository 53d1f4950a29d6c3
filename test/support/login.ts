/** Runs a login: starts the command and opens its address without a browser. */
import { createServer, type AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { demo, type Sandbox } from "@fxdesk/sandbox";
import { runCommandLine } from "../../cli/main";
import type { CommandResult, Variables } from "../cli/run-command";
import { eventually, untilEvent } from "./eventually";

/** Returns an address with an unused port. */
export async function freeRedirectUri(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await untilEvent(server, "listening");
  const { port } = server.address() as AddressInfo;
  await untilEvent(server.close(), "close");
  return `http://127.0.0.1:${port}/callback`;
}

/** The last page of a login. */
export interface ShownPage {
  readonly status: number;
  readonly html: string;
}

/** Logs in on a page and returns the redirect address, which contains the code. */
export async function signIn(address: string, email: string = demo.email): Promise<URL> {
  const asked = new URL(address);
  const page = await fetch(asked);
  if (page.status !== 200) throw new Error(`The login page: ${page.status} ${await page.text()}`);
  const body = new URLSearchParams({ email, password: demo.password });
  for (const name of ["client_id", "redirect_uri", "state"]) body.set(name, asked.searchParams.get(name)!);
  const loginResponse = await fetch(new URL("login", asked), { method: "POST", body, redirect: "manual" });
  return new URL(loginResponse.headers.get("location")!);
}

export async function openPage(
  address: URL | string,
  headers: Record<string, string> = {},
): Promise<ShownPage> {
  const response = await fetch(address, { headers });
  return { status: response.status, html: await response.text() };
}

/** A login command that waits for the browser. */
export interface WaitingCommand {
  /** Address printed for the browser. */
  readonly address: string;
  readonly ran: Promise<CommandResult>;
}

export async function startWaitingCommand(
  args: readonly string[],
  variables: Variables,
): Promise<WaitingCommand> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end();
  let said = "";
  stderr.on("data", (chunk) => (said += String(chunk)));
  const out = text(stdout);
  let ended: number | undefined;
  const ran = runCommandLine(args, { stdin, stdout, stderr, environment: variables }).then(async (code) => {
    ended = code;
    stdout.end();
    return { code, stdout: await out, stderr: said };
  });
  const address = () => {
    if (ended !== undefined) throw new Error(`The command ended with ${ended}: ${said}`);
    return /^http\S+\/authenticate\?\S+$/m.exec(said)?.[0];
  };
  return { address: await eventually(address, { withinMs: 20_000, what: "an address to open" }), ran };
}

/** Returns the variables for a first login to a sandbox. */
export const applicationOf = ({ baseUrl, demo: company }: Sandbox): Variables => ({
  FXDESK_ENVIRONMENT: "sandbox",
  FXDESK_BASE_URL: baseUrl,
  FXDESK_REDIRECT_URI: company.redirectUri,
  FXDESK_AUTH_CLIENT_ID: company.authClientId,
  FXDESK_AUTH_CLIENT_SECRET: company.authClientSecret,
  FXDESK_API_KEY: company.apiKey,
});

/** Runs `fxdesk login` to its end. */
export async function login(
  profile: string,
  variables: Variables,
  flags: readonly string[] = [],
  email?: string,
): Promise<CommandResult & ShownPage> {
  const { address, ran } = await startWaitingCommand(["login", "--profile", profile, ...flags], variables);
  const shown = await openPage(await signIn(address, email));
  return { ...(await ran), ...shown };
}
