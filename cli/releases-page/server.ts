/** HTTP server of the releases page: routing, sign-in and decisions. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isAborted, type ListenOptions, listenSafely } from "../../core/http/http-server";
import { ReleaseNotFound, ReleaseRefusal, type Decision } from "../../core/releases/release";
import type { ReleaseService } from "../../core/releases/release-service";
import type { Origin } from "../../core/people/attempts";
import { authenticate, TooManyAttempts, WrongSecret } from "../../core/people/authenticate";
import { type People, loadPeople } from "../../core/people/people-file";
import { type DecisionFiles, policyForRelease } from "../../core/releases/decide";
import { pageHeaders } from "./layout";
import { addressOf, endedCookie, isForeignForm, sessionCookie, sessionTokensOf, Sessions } from "./access";
import { listPage, messagePage, releasePage, signInPage } from "./pages";

interface ReleasesPageOptions extends ListenOptions {
  readonly service: ReleaseService;
  readonly files: DecisionFiles;
}

export interface ReleasesPage {
  readonly url: string;
  close(): Promise<void>;
}

interface PageResponse {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const maxFormBytes = 8_192;
const maxListed = 50;
const releasePath = /^\/releases\/(R-[0-9A-Z]{12})$/;

/** An invalid HTTP request; the message is shown to the user. */
class BadRequest extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const htmlResponse = (status: number, body: string): PageResponse => ({ status, body });
const redirectTo = (location: string, headers = {}): PageResponse => ({
  status: 303,
  headers: { location, ...headers },
});

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const { "content-type": type = "" } = request.headers;
  if (!/^application\/x-www-form-urlencoded\b/i.test(type))
    throw new BadRequest(415, "The request must be a form of this page.");
  const tooLarge = new BadRequest(413, "The form is too large.");
  // Before anything is read: a body that is read in part ends the connection, and the answer with it.
  if (Number(request.headers["content-length"]) > maxFormBytes) throw tooLarge;
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > maxFormBytes) throw tooLarge;
    parts.push(part);
  }
  return new URLSearchParams(Buffer.concat(parts).toString("utf8"));
}

/** Returns the path if it is a page of this server, otherwise the list: prevents open redirects. */
const safePath = (text: string | null): string => (text !== null && releasePath.test(text) ? text : "/");

const isDecision = (text: string | null): text is Decision["decision"] =>
  text === "release" || text === "refuse";

/** A person with the token of their session. */
interface SignedIn {
  readonly person: string;
  readonly token: string;
  readonly people: People;
}

class PageHandler {
  readonly #sessions = new Sessions();

  constructor(private readonly options: ReleasesPageOptions) {}

  async handle(request: IncomingMessage, origin: string): Promise<PageResponse> {
    if (isForeignForm(request)) throw new BadRequest(403, "Forms from other pages are not accepted.");
    const url = `http://page${request.url}`;
    if (!URL.canParse(url)) throw new BadRequest(404, "This page does not exist.");
    const { pathname, searchParams } = new URL(url);
    const isPost = request.method === "POST";
    if (!isPost && request.method !== "GET" && request.method !== "HEAD")
      throw new BadRequest(405, "Only GET and POST are supported.");
    const people = await loadPeople(this.options.files.people);
    const tokens = sessionTokensOf(request, origin);
    const signedIn = tokens
      .map((token) => ({ token, person: this.#sessions.personOf(token, people) }))
      .find(({ person: name }) => name !== undefined);
    const person = signedIn?.person;
    const attemptedFrom = {
      surface: "page",
      address: addressOf(request, this.options.behindProxy ?? false),
    };
    if (pathname === "/sign-in")
      return isPost
        ? this.#signIn(await readForm(request), origin, attemptedFrom)
        : htmlResponse(200, signInPage({ path: safePath(searchParams.get("path")) }));
    if (pathname === "/sign-out" && isPost) {
      for (const token of tokens) this.#sessions.end(token);
      return redirectTo("/sign-in", { "set-cookie": endedCookie(origin) });
    }
    const [, id] = releasePath.exec(pathname) ?? [];
    if (pathname !== "/" && id === undefined) throw new BadRequest(404, "This page does not exist.");
    if (isPost && id === undefined) throw new BadRequest(405, "This page does not accept forms.");
    if (person === undefined)
      return redirectTo(pathname === "/" ? "/sign-in" : `/sign-in?path=${encodeURIComponent(pathname)}`);
    if (id === undefined)
      return htmlResponse(
        200,
        listPage(person, (await this.options.service.list({ limit: maxListed })).releases),
      );
    return isPost
      ? this.#decide(id, { person, token: signedIn!.token, people }, await readForm(request), attemptedFrom)
      : htmlResponse(200, await this.#renderRelease(id, person, people));
  }

  async #signIn(form: URLSearchParams, origin: string, attemptedFrom: Origin): Promise<PageResponse> {
    const [name, secret, path] = [
      form.get("name") ?? "",
      form.get("secret") ?? "",
      safePath(form.get("path")),
    ];
    let people: People;
    try {
      ({ people } = await authenticate(this.options.files.people, { person: name, secret }, attemptedFrom));
    } catch (error) {
      const showFormAgain = (status: number, message: string) =>
        htmlResponse(status, signInPage({ path, name, message }));
      if (error instanceof WrongSecret) return showFormAgain(403, "Wrong name or secret.");
      if (error instanceof TooManyAttempts) return showFormAgain(429, error.message);
      throw error;
    }
    return redirectTo(path, { "set-cookie": sessionCookie(origin, this.#sessions.start(name, people)) });
  }

  async #decide(
    id: string,
    { person, token, people }: SignedIn,
    form: URLSearchParams,
    attemptedFrom: Origin,
  ): Promise<PageResponse> {
    const [decision, seal] = [form.get("decision"), form.get("seal")];
    if (!isDecision(decision) || seal === null) throw new BadRequest(400, "The form contains no decision.");
    const { service, files } = this.options;
    const decisionInput = {
      person,
      secret: form.get("secret") ?? "",
      code: form.get("code")?.trim() || undefined,
      decision,
      note: form.get("note")?.trim() || undefined,
      seal,
    };
    try {
      await service.decide(id, files, decisionInput, { ...attemptedFrom, isSignedIn: true });
      return redirectTo(`/releases/${id}`);
    } catch (error) {
      const showReleaseAgain = async (status: number) =>
        htmlResponse(status, await this.#renderRelease(id, person, people, (error as Error).message));
      if (error instanceof ReleaseNotFound) throw error;
      if (error instanceof WrongSecret) {
        this.#sessions.reportFailure(token);
        return showReleaseAgain(403);
      }
      if (error instanceof TooManyAttempts) return showReleaseAgain(429);
      if (error instanceof ReleaseRefusal) return showReleaseAgain(409);
      throw error;
    }
  }

  async #renderRelease(id: string, person: string, people: People, message?: string): Promise<string> {
    const { service, files } = this.options;
    const { release, decisions } = await service.get(id);
    const policy = await policyForRelease(release, files, people);
    return releasePage({ person, release, decisions, policy, ...(message !== undefined && { message }) });
  }
}

/** Renders an error. Unexpected ones, for example an invalid policy file, are logged and not shown. */
function failureResponse(error: unknown): PageResponse {
  if (error instanceof BadRequest)
    return htmlResponse(error.status, messagePage("Invalid request", error.message));
  if (error instanceof ReleaseNotFound) return htmlResponse(404, messagePage("Not found", error.message));
  console.error(`fxdesk: ${(error as Error).message}`);
  return htmlResponse(
    500,
    messagePage(
      "Page unavailable",
      "The page cannot be shown. The output of fxdesk releases serve has the reason.",
    ),
  );
}

function writeResponse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body = "", headers }: PageResponse,
) {
  // A rejected form may not be read completely; its rest is discarded.
  const unread = request.complete ? {} : { connection: "close" };
  response.writeHead(status, { ...pageHeaders, ...unread, ...headers });
  response.end(request.method === "HEAD" ? undefined : body);
  request.resume();
}

/** Starts the server. Throws a TypeError for unsafe options, and the errors of `listen`. */
export async function serveReleases(options: ReleasesPageOptions): Promise<ReleasesPage> {
  const pageHandler = new PageHandler(options);
  const server = await listenSafely(options, {
    async handle(request, response, origin) {
      const pageResponse = await pageHandler.handle(request, origin).catch((error: unknown) => {
        if (isAborted(request)) throw error;
        return failureResponse(error);
      });
      writeResponse(request, response, pageResponse);
    },
    refuse: (response, status, message) =>
      writeResponse(response.req, response, htmlResponse(status, messagePage("Request rejected", message))),
  });
  return { url: server.origin, close: () => server.close() };
}
