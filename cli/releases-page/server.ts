/** HTTP server of the releases page: routing, sign-in, decisions and new passkeys. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isAborted, type ListenOptions, listenSafely } from "../../core/http/http-server";
import { addPasskey } from "../../core/people/administration";
import type { PeopleChange } from "../../core/people/change-people";
import { creationOptions, findPasskeyProblem } from "../../core/people/passkey";
import { secondFactorsOf } from "../../core/releases/policy-evaluation";
import { ReleaseNotFound, ReleaseRefusal, type Decision, type Release } from "../../core/releases/release";
import { canBeShown } from "../../core/releases/request-signature";
import type { ReleaseService } from "../../core/releases/release-service";
import { factsOf, log } from "../../core/spec/log";
import type { Origin } from "../../core/people/attempts";
import { authenticate, PeopleRefusal, TooManyAttempts, WrongSecret } from "../../core/people/authenticate";
import { findActivePerson, type People, loadPeople } from "../../core/people/people-file";
import { type DecisionFiles, policyForRelease } from "../../core/releases/decide";
import { pageHeaders, type RenderedPage, scriptPath } from "./layout";
import { BadRequest, credentialsFrom, readForm } from "./form";
import { addressOf, endedCookie, isForeignForm, sessionCookie, sessionTokensOf, Sessions } from "./access";
import { Challenges } from "./challenges";
import { listPage, messagePage, releasePage, signInPage } from "./pages";
import { passkeysPage } from "./passkeys-page";
import { passkeyScript } from "./passkey-script";
import { factorFields } from "./second-factors";

interface ReleasesPageOptions extends ListenOptions {
  readonly service: ReleaseService;
  readonly files: DecisionFiles;
  /** Called after a person changed their entry in the people file, for example to mail it to them. */
  readonly report?: ((change: PeopleChange) => Promise<void>) | undefined;
}

export interface ReleasesPage {
  readonly url: string;
  close(): Promise<void>;
}

interface PageResponse extends Partial<RenderedPage> {
  readonly status: number;
}

const maxListed = 50;
const passkeysPath = "/passkeys";
const releasePath = /^\/releases\/(R-[0-9A-Z]{12})$/;

const htmlResponse = (status: number, page: RenderedPage): PageResponse => ({ status, ...page });
const redirectTo = (location: string, headers = {}): PageResponse => ({
  status: 303,
  headers: { location, ...headers },
});

/** Returns the path if it is a page of this server, otherwise the list: prevents open redirects. */
const safePath = (text: string | null): string =>
  text === passkeysPath || (text !== null && releasePath.test(text)) ? text : "/";

const isDecision = (text: string | null): text is Decision["decision"] =>
  text === "release" || text === "refuse";

/** A person with the token of their session, and where they are. */
interface SignedIn {
  readonly person: string;
  readonly token: string;
  readonly people: People;
  readonly attemptedFrom: Origin;
  /** Origin of the page. */
  readonly origin: string;
}

/** Purposes of challenges: a passkey that confirms one of them confirms nothing else. */
const releasePurpose = ({ id, hash }: Pick<Release, "id" | "hash">, person: string) => [
  "release",
  id,
  hash,
  person,
];
const passkeyPurpose = (person: string) => ["new passkey", person];

class PageHandler {
  readonly #sessions = new Sessions();
  readonly #challenges = new Challenges();

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
    if (pathname === scriptPath && !isPost)
      return {
        status: 200,
        body: passkeyScript,
        headers: { "content-type": "text/javascript; charset=utf-8" },
      };
    const [, id] = releasePath.exec(pathname) ?? [];
    const isPasskeys = pathname === passkeysPath;
    if (pathname !== "/" && !isPasskeys && id === undefined)
      throw new BadRequest(404, "This page does not exist.");
    if (isPost && pathname === "/") throw new BadRequest(405, "This page does not accept forms.");
    if (person === undefined)
      return redirectTo(pathname === "/" ? "/sign-in" : `/sign-in?path=${encodeURIComponent(pathname)}`);
    const by = {
      person,
      token: signedIn!.token,
      people,
      attemptedFrom: { ...attemptedFrom, isSignedIn: true },
      origin,
    };
    if (isPasskeys)
      return isPost
        ? this.#addPasskey(by, await readForm(request))
        : htmlResponse(200, await this.#renderPasskeys(by));
    if (id === undefined)
      return htmlResponse(
        200,
        listPage(
          person,
          (await this.options.service.list({ limit: maxListed, isVisible: canBeShown(people) })).releases,
          this.options.files.service.operations,
        ),
      );
    return isPost
      ? this.#decide(id, by, await readForm(request))
      : htmlResponse(200, await this.#renderRelease(id, by, { search: searchParams.get("search") ?? "" }));
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

  async #decide(id: string, by: SignedIn, form: URLSearchParams): Promise<PageResponse> {
    const { person } = by;
    const [decision, seal] = [form.get("decision"), form.get("seal")];
    if (!isDecision(decision) || seal === null) throw new BadRequest(400, "The form contains no decision.");
    const { service, files } = this.options;
    return this.#orShowAgain(
      by,
      async () => {
        const purpose = releasePurpose({ id, hash: seal }, person);
        const challenge = form.get("passkey") ? this.#useChallenge(form, purpose) : "";
        const note = form.get("note")?.trim() || undefined;
        const input = { ...credentialsFrom(form, by, challenge), decision, note, seal };
        await service.decide(id, files, input, by.attemptedFrom);
        return redirectTo(`/releases/${id}`);
      },
      (message) => this.#renderRelease(id, by, { message }),
    );
  }

  async #addPasskey(by: SignedIn, form: URLSearchParams): Promise<PageResponse> {
    const { person, attemptedFrom, origin } = by;
    return this.#orShowAgain(
      by,
      async () => {
        const challenge = this.#useChallenge(form, passkeyPurpose(person));
        const response = { credential: form.get("new_passkey") ?? "", challenge, origin };
        const credentials = credentialsFrom(form, by, challenge);
        const change = await addPasskey(this.options.files.people, response, credentials, attemptedFrom);
        await this.options.report?.(change);
        return redirectTo(passkeysPath);
      },
      (message) => this.#renderPasskeys(by, message),
    );
  }

  /** Uses the challenge of a form. Throws a PeopleRefusal if it is not one of this purpose, is too old or was used. */
  #useChallenge(form: URLSearchParams, purpose: readonly string[]): string {
    const challenge = form.get("challenge") ?? "";
    if (this.#challenges.use(challenge, purpose)) return challenge;
    throw new PeopleRefusal(
      "The page was open for more than 10 minutes, or its passkey was used before. Nothing was recorded: try again.",
    );
  }

  /** Runs the work of a form. If it is refused, shows the page of the form again with the reason. */
  async #orShowAgain(
    { token }: SignedIn,
    work: () => Promise<PageResponse>,
    render: (message: string) => Promise<RenderedPage>,
  ): Promise<PageResponse> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ReleaseNotFound) throw error;
      if (!(error instanceof ReleaseRefusal || error instanceof PeopleRefusal)) throw error;
      if (error instanceof WrongSecret) this.#sessions.reportFailure(token);
      const status = error instanceof WrongSecret ? 403 : error instanceof TooManyAttempts ? 429 : 409;
      return htmlResponse(status, await render(error.message));
    }
  }

  async #renderRelease(
    id: string,
    { person, people, origin }: SignedIn,
    { message, search = "" }: { readonly message?: string; readonly search?: string },
  ): Promise<RenderedPage> {
    const { service, files } = this.options;
    const { release, decisions } = await service.getForDecision(id, people);
    const policy = await policyForRelease(release, files, people);
    const factors = await factorFields(
      secondFactorsOf(policy, release.sealed),
      { name: person, person: findActivePerson(people, person)!, origin },
      this.#challenges.create(releasePurpose(release, person)),
    );
    return releasePage({
      person,
      release,
      decisions,
      policy,
      operations: files.service.operations,
      search,
      factors,
      ...(message !== undefined && { message }),
    });
  }

  async #renderPasskeys({ person: name, people, origin }: SignedIn, message?: string): Promise<RenderedPage> {
    const person = findActivePerson(people, name)!;
    const challenge = this.#challenges.create(passkeyPurpose(name));
    const hasFactor = person.totp !== undefined || person.passkeys !== undefined;
    const problem = await findPasskeyProblem(origin);
    const fields = await factorFields(hasFactor ? ["any"] : [], { name, person, origin }, challenge);
    const form =
      problem ??
      (typeof fields === "string"
        ? `Your passkeys are for another host. An administrator can remove them: \`fxdesk people passkey ${name} --remove\`.`
        : { ...fields, challenge, creation: await creationOptions(name, person, origin, challenge) });
    return passkeysPage({ person: name, passkeys: person.passkeys ?? [], form, message });
  }
}

/** Renders an error. Unexpected ones, for example an invalid policy file, are logged and not shown. */
function failureResponse(error: unknown): PageResponse {
  if (error instanceof BadRequest)
    return htmlResponse(error.status, messagePage("Invalid request", error.message));
  if (error instanceof ReleaseNotFound) return htmlResponse(404, messagePage("Not found", error.message));
  if (error instanceof ReleaseRefusal)
    return htmlResponse(409, messagePage("Request cannot be shown", error.message));
  log("error", (error as Error).message, factsOf(error));
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
