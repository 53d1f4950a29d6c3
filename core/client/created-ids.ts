/**
 * The identifiers that calls created and no list of the service gives. Those of calls that commit money are in the journal; the
 * others are kept beside it, until a call ends what they stand for.
 */
import {
  createdBy,
  createdKindOf,
  creatorsOf,
  endedBy,
  identityIn,
  mayMeet,
  plainName,
} from "../declaration/created";
import type { Values } from "../declaration/fields";
import { knownWords } from "../declaration/known-words";
import type { Declaration } from "../declaration/operation";
import { customerIn } from "../declaration/service";
import { patienceMs, within } from "../journal/endings";
import { identifiedEntries, sourceOf } from "../journal/rows";
import { customerOf, environmentOf } from "../journal/service-inquiry";
import { endCreated, keepCreated, listCreated, mostCreated } from "../store/created";
import { type Store, withStore } from "../store/open";
import { isMade } from "../store/settings";
import type { Connection } from "./connection";
import type { PreparedCall } from "./prepared-call";
import type { CreatedId } from "./response";

const picked = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));

/** Where it is known what an operation creates: an address that is set whole leads there, whatever the environment. */
function placeOf(connection: Connection, operation: Declaration): string | undefined {
  const address = connection.addresses[operation.server];
  const isWhole = connection.service.servers[operation.server]!.template === undefined;
  return address && isWhole ? address.origin + address.prefix : environmentOf(connection, operation);
}

/** What a journaled call asked for, where its body is JSON. */
function givenIn(call: Values | undefined): Values {
  try {
    return JSON.parse(String(call?.body)) as Values;
  } catch {
    return {};
  }
}

/** The path of a journaled call below its address; undefined where its details are erased. */
const targetOf = (call: Values | undefined): string | undefined =>
  call?.target === undefined ? undefined : String(call.target).split("?")[0];

export class CreatedIds {
  #last: Promise<void> = Promise.resolve();
  /** Notes that the store has not taken so far. */
  #open = 0;
  #isGivenUp = false;

  constructor(private readonly connection: Connection) {}

  /**
   * Keeps what a call created, or lets go what it ended, when all before it is done. Who made the call waits a little, as the
   * program may end with it. What fails is only said.
   */
  async note(call: PreparedCall, body: unknown): Promise<void> {
    this.#open += 1;
    this.#last = this.#last.then(() => this.#writeOrSay(call, body)).finally(() => (this.#open -= 1));
    await within(patienceMs, this.#last);
  }

  /** Waits for the notes that are not in the store yet, for so long altogether; then those that wait are given up. */
  async close(limitMs: number): Promise<void> {
    await within(limitMs, this.#last);
    if (this.#open === 0) return;
    this.#isGivenUp = true;
    sayGivenUp(this.#open);
  }

  /**
   * What this connection's calls created of the kind that an operation creates or is told in its path, newest first. What may be
   * of it counts: an operation for payments of each kind has all of them, one for bulk payments those alone.
   */
  async list(operation: Declaration): Promise<readonly CreatedId[]> {
    await this.#last;
    const { service, store: settings } = this.connection;
    const kind = createdKindOf(service, operation);
    // What nobody has made holds nothing, and is not made to look.
    if (kind === undefined || !isMade(settings)) return [];
    const { name, path } = kind;
    const creators = creatorsOf(service, name, operation.server).filter((each) => mayMeet(each.path, path));
    return withStore(settings, async (store) => {
      const lists: (readonly CreatedId[])[] = [];
      for (const creator of creators)
        lists.push(
          await (creator.effect === "money"
            ? this.#journaled(creator, path, store)
            : this.#noted(creator, store)),
        );
      return lists
        .flat()
        .toSorted((one, other) => other.at - one.at)
        .slice(0, mostCreated);
    });
  }

  /** Those of one creator, by what the store noted. */
  async #noted(operation: Declaration, store: Store): Promise<readonly CreatedId[]> {
    const environment = placeOf(this.connection, operation);
    if (environment === undefined) return [];
    const client = customerOf(this.connection, operation);
    const noted = await listCreated(store, { environment, client, operation: operation.name });
    return noted.map(({ id, at, given }) => ({ id, at, words: knownWords(operation, given) }));
  }

  /** Those of one that commits money, by the journal: at a path, as far as it is known where each was made. */
  async #journaled(operation: Declaration, path: string, store: Store): Promise<readonly CreatedId[]> {
    const environment = environmentOf(this.connection, operation);
    if (environment === undefined) return [];
    const scope = { environment, client: customerOf(this.connection, operation), operation: operation.name };
    const entries = await identifiedEntries(sourceOf(store), scope, mostCreated);
    return entries
      .filter(({ intent }) => mayMeet(path, targetOf(intent?.call) ?? operation.path))
      .map(({ ending, begunAt, intent }) => ({
        id: ending!.identity!,
        at: begunAt,
        words: knownWords(operation, givenIn(intent?.call)),
      }));
  }

  /** What was given up is said already. */
  async #writeOrSay(call: PreparedCall, body: unknown): Promise<void> {
    if (this.#isGivenUp) return;
    try {
      await this.#write(call, body);
    } catch (error) {
      if (!this.#isGivenUp) sayUnkept(call.operation, this.connection.secrets.redactError(error));
    }
  }

  async #write({ operation, values, given }: PreparedCall, body: unknown): Promise<void> {
    const { connection } = this;
    const { service, store: settings } = connection;
    const environment = placeOf(connection, operation)!;
    const [name, id] = [createdBy(operation), identityIn(operation, body)];
    if (name !== undefined && id !== undefined) {
      const scope = { environment, client: customerIn(service, values), operation: operation.name };
      const content = { id, given: picked(given, operation.knownBy ?? []) };
      await withStore(settings, (store) => keepCreated(store, scope, name, content));
    }
    const field = endedBy(operation);
    if (field === undefined || !isMade(settings)) return;
    const ended = plainName(field);
    if (creatorsOf(service, ended, operation.server).length === 0) return;
    await withStore(settings, (store) => endCreated(store, environment, ended, String(values[field])));
  }
}

const unkept = { type: "FxdeskWarning", code: "FXDESK_ID_UNKEPT" };

const sayUnkept = ({ name }: Declaration, { message }: Error): void =>
  process.emitWarning(
    `${name}: The call was carried out, and the store could not take note of its identifier (${message}): forms do not offer what is there.`,
    unkept,
  );

const sayGivenUp = (notes: number): void =>
  process.emitWarning(
    `The client was closed before the store took note of the identifiers that ${notes === 1 ? "a call" : `${notes} calls`} created or ended, as somebody else may hold it: forms may not offer what is there, or offer what is gone.`,
    unkept,
  );
