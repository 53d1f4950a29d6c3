/** Routes of the node forms: lists for pickers, and reads with "Try it". */
import type { Node, NodeAPI } from "node-red";
import { createClient } from "../../core/client/client";
import { ReceivedFile } from "../../core/call/received-file";
import type { ClientCore } from "../../core/api/client-types";
import { isPaged, countEntries } from "../../core/call/pages";
import { settingsOf } from "../../core/call/settings";
import type { ServiceResponse } from "../../core/call/response";
import { Secrets } from "../../core/http/secrets";
import { createdIdName } from "../../core/spec/created-resources";
import { listPathsIn, extractResultList } from "../../core/spec/result-list";
import type { Callable } from "../../core/spec/operation";
import { isWatch, type WatchStart } from "../../core/spec/watch";
import { declarationsOf, type Service } from "../../core/spec/service";
import { valueAt } from "../../core/values/json";
import { toChangeMessage } from "../watch/change-message";
import { toPickerOptions, toCreatedPickerOptions } from "./field-lists";
import { createInputReader } from "../shared/input";
import { type FormHandler, optionsFromForm, serveForm } from "./connection-form";
import { type ConnectionForm, resolveTriedInput } from "./deployed-values";

/** Maximum number of entries in a picker. Other values can be typed. */
const maxEntries = 5_000;

/** Amount of the estimates that the form shows beside a rate. */
const estimatedAmount = "10000";

/** Maximum length of displayed messages. Of longer ones, the beginning is shown as text. */
const maxCharacters = 200_000;

function findRead(service: Service, name: unknown): Callable {
  const callable = declarationsOf(service).find((each) => each.name === name);
  if (!callable) throw new TypeError(`The service has no operation ${JSON.stringify(name)}.`);
  if (callable.effect !== "read")
    throw new TypeError(`${callable.title} changes data. Only reads can be tried.`);
  return callable;
}

const entriesOf = (operation: Callable, body: unknown): readonly unknown[] =>
  extractResultList(operation, body)?.entries ??
  listPathsIn(operation).flatMap((path) => (valueAt(body, path) ?? []) as unknown[]);

async function fetchEntries(client: ClientCore, operation: Callable): Promise<readonly unknown[]> {
  if (!isPaged(operation)) return entriesOf(operation, (await client.call(operation, {})).body);
  const entries: unknown[] = [];
  for await (const { body } of client.pages(operation, {})) {
    entries.push(...entriesOf(operation, body));
    if (entries.length >= maxEntries) break;
  }
  return entries;
}

/** Returns the messages, or the beginning of their text if they are too long. */
function toShownMessages(messages: readonly object[]): object {
  const text = JSON.stringify(messages, undefined, 2);
  return text.length > maxCharacters ? { text: text.slice(0, maxCharacters) } : { messages };
}

/** Converts a response to what the form shows: the message that the node would send. */
async function toShownResponse(
  operation: Callable,
  { status, body, violations }: ServiceResponse,
): Promise<object> {
  const file = body instanceof ReceivedFile ? body : undefined;
  const bytes = await file?.bytes();
  const payload = file ? `${file.fileName ?? "file"}, ${bytes!.length} bytes` : body;
  return {
    status,
    ...toShownMessages([{ payload, statusCode: status }]),
    entries: extractResultList(operation, body)?.entries.length ?? countEntries(operation, body),
    violations: violations.slice(0, 10),
  };
}

/** Returns the secrets of a form, entered and stored, to redact them from responses that echo them. */
function secretsOf(service: Service, RED: NodeAPI, { id, values }: ConnectionForm): Secrets {
  const secrets = new Secrets();
  const stored = (RED.nodes.getCredentials(id) ?? {}) as Readonly<Record<string, string | undefined>>;
  for (const { name, secret } of settingsOf(service))
    if (secret) for (const value of [values[name], stored[name]]) secrets.add(value);
  return secrets;
}

/** Adds the routes. They require the permission `fxdesk.write`. */
export function serveFormReads(RED: NodeAPI, service: Service): void {
  const readThrough = async (
    form: ConnectionForm,
    read: (client: ClientCore) => Promise<object>,
  ): Promise<object> => {
    const client = createClient(optionsFromForm(service, RED, form), service);
    try {
      const text = JSON.stringify(await read(client));
      return JSON.parse(secretsOf(service, RED, form).redact(text)) as object;
    } finally {
      await client.close();
    }
  };

  const listEntries: FormHandler = async (form, request) => {
    const { from, property } = request.body as Readonly<Record<string, unknown>>;
    const creator = service.operations.find(({ name }) => name === from);
    if (creator && createdIdName(creator) !== undefined)
      return readThrough(form, async (client) => ({
        entries: toCreatedPickerOptions(await client.listCreatedResources(creator)),
      }));
    const operation = findRead(service, from);
    return readThrough(form, async (client) => ({
      entries: toPickerOptions(await fetchEntries(client, operation), String(property)),
    }));
  };

  const tryRead: FormHandler = async (form, request) => {
    const body = request.body as Readonly<Record<string, unknown>>;
    const operation = findRead(service, body.operation);
    const node = (RED.nodes.getNode(String(body.node)) as Node | null) ?? ({} as Node);
    const { fields, input: whole } = body;
    const inputDef = resolveTriedInput(service, RED, form, { node: body.node, fields, input: whole });
    return readThrough(form, async (client) => {
      const input = await createInputReader(operation, inputDef, { RED, node })({ _msgid: "" });
      if (isWatch(operation)) {
        const from = (body.from || operation.defaultStart) as WatchStart;
        const { changes, gaps } = await client.readInitialChanges(operation, input, { from });
        return {
          ...toShownMessages(changes.map(toChangeMessage)),
          entries: changes.length,
          violations: gaps,
        };
      }
      return toShownResponse(operation, await client.call(operation, input));
    });
  };

  const estimateRate: FormHandler = (form, request) => {
    const { pair, buy } = request.body as Readonly<Record<"pair" | "buy", string>>;
    const [currency, into] = [pair.slice(0, 3), pair.slice(3)];
    const amount = currency === buy ? `-${estimatedAmount}` : estimatedAmount;
    return readThrough(form, async (client) => ({
      rate: await client.orders.estimateRate({ currency, amount, into }),
    }));
  };

  serveForm(RED, service, "list", listEntries);
  serveForm(RED, service, "rate", estimateRate);
  serveForm(RED, service, "try", tryRead);
}
