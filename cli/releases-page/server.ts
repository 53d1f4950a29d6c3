/** Serves the page on which people release: what may be asked, by whom, and what is answered. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { NoSuchRelease, type ReleaseDesk, ReleaseRefusal } from "../../core/releases/desk";
import { isSecretOf, type People, peopleAt } from "../../core/releases/people";
import type { Decision } from "../../core/releases/release";
import { decideAs, type DecisionFiles, policyFor, WrongSecret } from "../../core/releases/decision-by-secret";
import { isLoopback } from "../../core/schema/host";
import { pageHeaders } from "./frame";
import { foreign, type Place } from "./guard";
import { Guesses, TooManyGuesses } from "./guesses";
import { listPage, messagePage, releasePage, signInPage } from "./pages";
import { Sessions } from "./sessions";

export interface ReleasesPageOptions {
  readonly desk: ReleaseDesk;
  readonly files: DecisionFiles;
  readonly port: number;
  /** The address to listen on. Beyond this machine it needs a certificate, and the address by which browsers reach it. */
  readonly host?: string | undefined;
  /** By which browsers reach it, where that is another: of itself, or of a proxy on this machine. */
  readonly address?: URL | undefined;
  /** PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
}

export interface ReleasesPage {
  readonly url: string;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const largestForm = 8_192;
const listed = 50;
const ofRelease = /^\/releases\/(R-[0-9A-Z]{12})$/;

/** Something is wrong with a request, as a person is told. */
class BadRequest extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const shown = (status: number, body: string): Answer => ({ status, body });
const movedTo = (location: string, headers = {}): Answer => ({
  status: 303,
  headers: { location, ...headers },
});

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  const { "content-type": type = "" } = request.headers;
  if (!/^application\/x-www-form-urlencoded\b/i.test(type))
    throw new BadRequest(415, "A form of this page is needed.");
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > largestForm) throw new BadRequest(413, "The form is too large.");
    parts.push(part);
  }
  return new URLSearchParams(Buffer.concat(parts).toString("utf8"));
}

/** A page of this server; anything else leads to the list. */
const pathIn = (text: string | null): string => (text !== null && ofRelease.test(text) ? text : "/");

const isDecision = (text: string | null): text is Decision["decision"] =>
  text === "release" || text === "refuse";

const isWrongSecret = (error: unknown): boolean => error instanceof WrongSecret;

class Pages {
  readonly #sessions = new Sessions();
  readonly #guesses = new Guesses();

  constructor(
    private readonly options: ReleasesPageOptions,
    private readonly isSecure: boolean,
  ) {}

  async answer(request: IncomingMessage): Promise<Answer> {
    const url = `http://page${request.url}`;
    if (!URL.canParse(url)) throw new BadRequest(404, "There is nothing here.");
    const { pathname, searchParams } = new URL(url);
    const isPost = request.method === "POST";
    if (!isPost && request.method !== "GET" && request.method !== "HEAD")
      throw new BadRequest(405, "This page is read, and its forms are sent.");
    const people = await peopleAt(this.options.files.people);
    const token = this.#tokenOf(request);
    const person = token === undefined ? undefined : this.#sessions.personOf(token, people);
    if (pathname === "/sign-in")
      return isPost
        ? this.#signIn(await formOf(request), people)
        : shown(200, signInPage({ path: pathIn(searchParams.get("path")) }));
    if (pathname === "/sign-out" && isPost) {
      if (token !== undefined) this.#sessions.end(token);
      return movedTo("/sign-in", { "set-cookie": this.#cookie("", "; Max-Age=0") });
    }
    const [, id] = ofRelease.exec(pathname) ?? [];
    if (pathname !== "/" && id === undefined) throw new BadRequest(404, "There is nothing here.");
    if (isPost && id === undefined) throw new BadRequest(405, "There is no form to send here.");
    if (person === undefined)
      return movedTo(pathname === "/" ? "/sign-in" : `/sign-in?path=${encodeURIComponent(pathname)}`);
    if (id === undefined)
      return shown(200, listPage(person, (await this.options.desk.list({ limit: listed })).releases));
    return isPost
      ? this.#decide(id, person, people, await formOf(request))
      : shown(200, await this.#release(id, person, people));
  }

  async #signIn(form: URLSearchParams, people: People): Promise<Answer> {
    const [name, secret, path] = [form.get("name") ?? "", form.get("secret") ?? "", pathIn(form.get("path"))];
    const proved = async () => {
      if (!(await isSecretOf(people, name, secret))) throw new WrongSecret(name);
    };
    try {
      await this.#guesses.attempt(name, proved, isWrongSecret);
    } catch (error) {
      const again = (status: number, message: string) => shown(status, signInPage({ path, name, message }));
      if (error instanceof WrongSecret) return again(403, "The name or the secret is not right.");
      if (error instanceof TooManyGuesses) return again(429, error.message);
      throw error;
    }
    return movedTo(path, { "set-cookie": this.#cookie(this.#sessions.begin(name, people)) });
  }

  async #decide(id: string, person: string, people: People, form: URLSearchParams): Promise<Answer> {
    const [decision, seal] = [form.get("decision"), form.get("seal")];
    if (!isDecision(decision) || seal === null) throw new BadRequest(400, "The form says no decision.");
    const { desk, files } = this.options;
    const said = {
      person,
      secret: form.get("secret") ?? "",
      decision,
      note: form.get("note")?.trim() || undefined,
      seal,
    };
    try {
      await this.#guesses.attempt(person, () => decideAs(desk, id, files, said), isWrongSecret);
      return movedTo(`/releases/${id}`);
    } catch (error) {
      const again = async (status: number) =>
        shown(status, await this.#release(id, person, people, (error as Error).message));
      if (error instanceof NoSuchRelease) throw error;
      if (error instanceof WrongSecret) return again(403);
      if (error instanceof TooManyGuesses) return again(429);
      if (error instanceof ReleaseRefusal) return again(409);
      throw error;
    }
  }

  async #release(id: string, person: string, people: People, message?: string): Promise<string> {
    const { desk, files } = this.options;
    const { release, decisions } = await desk.get(id);
    const policy = await policyFor(release, files.policy, people);
    return releasePage({ person, release, decisions, policy, ...(message !== undefined && { message }) });
  }

  /** Browsers keep a name of this kind to one host and to https. */
  get #cookieName(): string {
    return this.isSecure ? "__Host-fxdesk-releases" : "fxdesk-releases";
  }

  #cookie(token: string, more = ""): string {
    const secure = this.isSecure ? "; Secure" : "";
    return `${this.#cookieName}=${token}; Path=/; HttpOnly; SameSite=Strict${secure}${more}`;
  }

  #tokenOf({ headers: { cookie = "" } }: IncomingMessage): string | undefined {
    const name = `${this.#cookieName}=`;
    return cookie
      .split(/; */)
      .find((each) => each.startsWith(name))
      ?.slice(name.length);
  }
}

/** What a person is told of what went wrong; files that do not fit are said to who serves the page, too. */
function failureAnswer(error: unknown): Answer {
  if (error instanceof BadRequest) return shown(error.status, messagePage("Not like this", error.message));
  if (error instanceof NoSuchRelease) return shown(404, messagePage("Not found", error.message));
  console.error(`fxdesk: ${(error as Error).message}`);
  return shown(
    500,
    messagePage("Not now", "The page cannot be shown; whoever runs it finds why in its output."),
  );
}

function write(request: IncomingMessage, response: ServerResponse, { status, body = "", headers }: Answer) {
  // The rest of a form that is not taken is let go by.
  const unread = request.complete ? {} : { connection: "close" };
  response.writeHead(status, { ...pageHeaders, ...unread, ...headers });
  response.end(request.method === "HEAD" ? undefined : body);
  request.resume();
}

/** Throws a TypeError where people beyond this machine could not be sure of what they see. */
function assertSafe({ host = "127.0.0.1", address, certificate }: ReleasesPageOptions): void {
  if (address && address.protocol !== "https:" && !isLoopback(address.hostname))
    throw new TypeError("address must begin with https://: secrets are sent to it.");
  if (isLoopback(host)) return;
  if (address?.protocol !== "https:" || !certificate)
    throw new TypeError(
      `host ${host} is reached from other machines: that needs the https address of the page, and its certificate and key.`,
    );
}

const bracketed = (host: string) => (host.includes(":") ? `[${host}]` : host);

/** Starts the page. Throws a TypeError where it would not be safe, and what `listen` throws. */
export async function serveReleases(options: ReleasesPageOptions): Promise<ReleasesPage> {
  assertSafe(options);
  const { host = "127.0.0.1", address, certificate } = options;
  const isSecure = certificate !== undefined || address?.protocol === "https:";
  const pages = new Pages(options, isSecure);
  let place: Place;
  const listener: RequestListener = (request, response) => {
    const reason = foreign(request, place);
    const answered =
      reason === undefined
        ? pages.answer(request).catch(failureAnswer)
        : Promise.resolve(shown(403, messagePage("Not here", reason)));
    void answered.then((answer) => write(request, response, answer));
  };
  const server = certificate ? createTlsServer(certificate, listener) : createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(options.port, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const own = `${certificate ? "https" : "http"}://${bracketed(host)}:${port}`;
  place = { address: address ?? (certificate ? new URL(own) : undefined), port };
  return {
    url: address?.origin ?? own,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
