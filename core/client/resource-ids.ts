/**
 * The identifiers that calls created and no list of the service gives. Those of calls that commit money are in the journal; the
 * others are kept beside it, until a call ends what they stand for.
 */
import {
  createdIdName,
  resourceKindOf,
  operationsCreating,
  deletedIdField,
  resourceIdentity,
  pathsMayMatch,
  toSnakeCase,
} from "../declaration/created-resources";
import type { Values } from "../declaration/fields";
import { labelParts } from "../declaration/label-parts";
import type { Declaration } from "../declaration/operation";
import { customerFromValues } from "../declaration/service";
import { waitTimeoutMs, waitAtMost } from "../journal/outcome-writer";
import { listIdentifiedEntries, storeAccessOf } from "../journal/entry-rows";
import { customerOf, environmentOf } from "../journal/outcome-lookup";
import { removeResourceId, saveResourceId, listResourceIds, maxResourceIds } from "../store/resource-ids";
import { type Store, withStore } from "../store/open";
import { storeExists } from "../store/settings";
import type { ClientContext } from "./client-context";
import type { PreparedCall } from "./prepared-call";
import type { CreatedResource } from "./response";

const pickValues = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));

/** Where it is known what an operation creates: an address that is set whole leads there, whatever the environment. */
function environmentKeyOf(context: ClientContext, operation: Declaration): string | undefined {
  const address = context.addresses[operation.server];
  const isFixedAddress = context.service.servers[operation.server]!.template === undefined;
  return address && isFixedAddress ? address.origin + address.pathPrefix : environmentOf(context, operation);
}

/** What a journaled call asked for, where its body is JSON. */
function parseCallBody(call: Values | undefined): Values {
  try {
    return JSON.parse(String(call?.body)) as Values;
  } catch {
    return {};
  }
}

/** The path of a journaled call below its address; undefined where its details are erased. */
const pathOf = (call: Values | undefined): string | undefined =>
  call?.target === undefined ? undefined : String(call.target).split("?")[0];

export class ResourceIds {
  #lastWrite: Promise<void> = Promise.resolve();
  /** Notes that the store has not taken so far. */
  #pendingWrites = 0;
  #isAbandoned = false;

  constructor(private readonly context: ClientContext) {}

  /**
   * Keeps what a call created, or lets go what it ended, when all before it is done. Who made the call waits a little, as the
   * program may end with it. What fails is only said.
   */
  async record(call: PreparedCall, body: unknown): Promise<void> {
    this.#pendingWrites += 1;
    this.#lastWrite = this.#lastWrite
      .then(() => this.#writeOrWarn(call, body))
      .finally(() => (this.#pendingWrites -= 1));
    await waitAtMost(waitTimeoutMs, this.#lastWrite);
  }

  /** Waits for the notes that are not in the store yet, for so long altogether; then those that wait are given up. */
  async close(timeoutMs: number): Promise<void> {
    await waitAtMost(timeoutMs, this.#lastWrite);
    if (this.#pendingWrites === 0) return;
    this.#isAbandoned = true;
    warnAbandonedWrites(this.#pendingWrites);
  }

  /**
   * What this connection's calls created of the kind that an operation creates or is told in its path, newest first. What may be
   * of it counts: an operation for payments of each kind has all of them, one for bulk payments those alone.
   */
  async list(operation: Declaration): Promise<readonly CreatedResource[]> {
    await this.#lastWrite;
    const { service, store: settings } = this.context;
    const kind = resourceKindOf(service, operation);
    // What nobody has made holds nothing, and is not made to look.
    if (kind === undefined || !storeExists(settings)) return [];
    const { name, path } = kind;
    const creators = operationsCreating(service, name, operation.server).filter((each) =>
      pathsMayMatch(each.path, path),
    );
    return withStore(settings, async (store) => {
      const lists: (readonly CreatedResource[])[] = [];
      for (const creator of creators)
        lists.push(
          await (creator.effect === "money"
            ? this.#listFromJournal(creator, path, store)
            : this.#listStored(creator, store)),
        );
      return lists
        .flat()
        .toSorted((one, other) => other.at - one.at)
        .slice(0, maxResourceIds);
    });
  }

  /** Those of one creator, by what the store noted. */
  async #listStored(operation: Declaration, store: Store): Promise<readonly CreatedResource[]> {
    const environment = environmentKeyOf(this.context, operation);
    if (environment === undefined) return [];
    const client = customerOf(this.context, operation);
    const stored = await listResourceIds(store, { environment, client, operation: operation.name });
    return stored.map(({ id, at, given }) => ({ id, at, labelParts: labelParts(operation, given) }));
  }

  /** Those of one that commits money, by the journal: at a path, as far as it is known where each was made. */
  async #listFromJournal(
    operation: Declaration,
    path: string,
    store: Store,
  ): Promise<readonly CreatedResource[]> {
    const environment = environmentOf(this.context, operation);
    if (environment === undefined) return [];
    const scope = { environment, client: customerOf(this.context, operation), operation: operation.name };
    const entries = await listIdentifiedEntries(storeAccessOf(store), scope, maxResourceIds);
    return entries
      .filter(({ intent }) => pathsMayMatch(path, pathOf(intent?.call) ?? operation.path))
      .map(({ ending, begunAt, intent }) => ({
        id: ending!.identity!,
        at: begunAt,
        labelParts: labelParts(operation, parseCallBody(intent?.call)),
      }));
  }

  /** What was given up is said already. */
  async #writeOrWarn(call: PreparedCall, body: unknown): Promise<void> {
    if (this.#isAbandoned) return;
    try {
      await this.#write(call, body);
    } catch (error) {
      if (!this.#isAbandoned) warnNotStored(call.operation, this.context.secrets.redactError(error));
    }
  }

  async #write({ operation, values, given }: PreparedCall, body: unknown): Promise<void> {
    const { context } = this;
    const { service, store: settings } = context;
    const environment = environmentKeyOf(context, operation)!;
    const [name, id] = [createdIdName(operation), resourceIdentity(operation, body)];
    if (name !== undefined && id !== undefined) {
      const scope = { environment, client: customerFromValues(service, values), operation: operation.name };
      const content = { id, given: pickValues(given, operation.labelFields ?? []) };
      await withStore(settings, (store) => saveResourceId(store, scope, name, content));
    }
    const field = deletedIdField(operation);
    if (field === undefined || !storeExists(settings)) return;
    const deletedName = toSnakeCase(field);
    if (operationsCreating(service, deletedName, operation.server).length === 0) return;
    await withStore(settings, (store) =>
      removeResourceId(store, environment, deletedName, String(values[field])),
    );
  }
}

const notStoredWarning = { type: "FxdeskWarning", code: "FXDESK_ID_UNKEPT" };

const warnNotStored = ({ name }: Declaration, { message }: Error): void =>
  process.emitWarning(
    `${name}: The call was carried out, and the store could not take note of its identifier (${message}): forms do not offer what is there.`,
    notStoredWarning,
  );

const warnAbandonedWrites = (count: number): void =>
  process.emitWarning(
    `The client was closed before the store took note of the identifiers that ${count === 1 ? "a call" : `${count} calls`} created or ended, as somebody else may hold it: forms may not offer what is there, or offer what is gone.`,
    notStoredWarning,
  );
