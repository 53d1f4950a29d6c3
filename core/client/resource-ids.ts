/**
 * IDs of created resources that the service cannot list. Those of money calls are in the journal; others are stored
 * separately until a call deletes the resource.
 */
import {
  createdIdName,
  resourceKindOf,
  operationsCreating,
  deletedIdField,
  resourceIdentity,
  pathsMayMatch,
  toSnakeCase,
  labelParts,
} from "../spec/created-resources";
import type { Values } from "../spec/fields";
import type { Declaration } from "../spec/operation";
import { customerFromValues } from "../spec/service";
import { waitTimeoutMs, waitAtMost } from "../journal/outcome-writer";
import { parseCallBody } from "../journal/call-outcome";
import { listIdentifiedEntries } from "../journal/entry-rows";
import { type Store, withStore } from "../store/open";
import { customerOf } from "../journal/outcome-lookup";
import { removeResourceId, saveResourceId, listResourceIds, maxResourceIds } from "../store/resource-ids";
import { storeExists } from "../store/settings";
import { type ClientContext, environmentOf } from "../call/client-context";
import type { PreparedCall } from "../call/prepared-call";
import type { CreatedResource } from "../call/response";

const pickValues = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));

/** Returns the scope of stored IDs: the address if it is set explicitly, otherwise the environment. */
function environmentKeyOf(context: ClientContext, operation: Declaration): string | undefined {
  const address = context.addresses[operation.server];
  const isFixedAddress = context.service.servers[operation.server]!.template === undefined;
  return address && isFixedAddress ? address.origin + address.pathPrefix : environmentOf(context, operation);
}

/** Returns the path of a journaled call; undefined if its details were erased. */
const pathOf = (call: Values | undefined): string | undefined =>
  call?.target === undefined ? undefined : String(call.target).split("?")[0];

export class ResourceIds {
  #lastWrite: Promise<void> = Promise.resolve();
  #pendingWrites = 0;
  #isAbandoned = false;

  constructor(private readonly context: ClientContext) {}

  /**
   * Stores the ID that a call created, or removes the one it deleted, after all earlier writes. Waits briefly, because the
   * process may exit right after the call. A failure only causes a warning.
   */
  async record(call: PreparedCall, body: unknown): Promise<void> {
    this.#pendingWrites += 1;
    this.#lastWrite = this.#lastWrite
      .then(() => this.#writeOrWarn(call, body))
      .finally(() => (this.#pendingWrites -= 1));
    await waitAtMost(waitTimeoutMs, this.#lastWrite);
  }

  /** Waits for pending writes up to the time limit, then abandons them with a warning. */
  async close(timeoutMs: number): Promise<void> {
    await waitAtMost(timeoutMs, this.#lastWrite);
    if (this.#pendingWrites === 0) return;
    this.#isAbandoned = true;
    warnAbandonedWrites(this.#pendingWrites);
  }

  /**
   * Lists the IDs of resources of the kind that the operation creates or takes in its path, newest first. Paths that may match
   * count: an operation for payments of any kind lists all of them, one for bulk payments only those.
   */
  async list(operation: Declaration): Promise<readonly CreatedResource[]> {
    await this.#lastWrite;
    const { service, store: settings } = this.context;
    const kind = resourceKindOf(service, operation);
    // Listing does not create the store.
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

  /** Lists the stored IDs of one operation. */
  async #listStored(operation: Declaration, store: Store): Promise<readonly CreatedResource[]> {
    const environment = environmentKeyOf(this.context, operation);
    if (environment === undefined) return [];
    const client = customerOf(this.context, operation);
    const stored = await listResourceIds(store, { environment, client, operation: operation.name });
    return stored.map(({ id, at, given }) => ({ id, at, labelParts: labelParts(operation, given) }));
  }

  /** Lists the IDs of a money operation from the journal, restricted to a path if the path of the entry is known. */
  async #listFromJournal(
    operation: Declaration,
    path: string,
    store: Store,
  ): Promise<readonly CreatedResource[]> {
    const environment = environmentOf(this.context, operation);
    if (environment === undefined) return [];
    const scope = { environment, client: customerOf(this.context, operation), operation: operation.name };
    const entries = await listIdentifiedEntries(store, scope, maxResourceIds);
    return entries
      .filter(({ intent }) => pathsMayMatch(path, pathOf(intent?.call) ?? operation.path))
      .map(({ ending, begunAt, intent }) => ({
        id: ending!.identity!,
        at: begunAt,
        labelParts: labelParts(operation, parseCallBody(intent?.call)),
      }));
  }

  /** Writes, unless the write was abandoned; then the warning was emitted already. */
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
    `${name}: The call was carried out, but its ID could not be stored (${message}). Forms will not offer it.`,
    notStoredWarning,
  );

const warnAbandonedWrites = (count: number): void =>
  process.emitWarning(
    `The client was closed before the IDs of ${count === 1 ? "1 call" : `${count} calls`} were stored; another process may hold the store. The IDs that forms offer may be out of date.`,
    notStoredWarning,
  );
