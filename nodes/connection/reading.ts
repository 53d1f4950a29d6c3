/** What the form of a node reads through its connection: the lists that its fields are picked from, and a read that is tried. */
import type { Node, NodeAPI } from "node-red";
import { createClient } from "../../core/client/client";
import { ReceivedFile } from "../../core/client/file";
import type { ClientCore } from "../../core/client/methods";
import { comesInPages, entriesIn } from "../../core/client/pages";
import { settingsOf } from "../../core/client/settings";
import type { ServiceResponse } from "../../core/client/response";
import { Secrets } from "../../core/credentials/secrets";
import { createdBy } from "../../core/declaration/created";
import { listPathsOf } from "../../core/declaration/listing";
import type { Callable } from "../../core/declaration/operation";
import { isWatch, type WatchBeginning } from "../../core/declaration/watch";
import { answerOf } from "../../core/declaration/rows";
import { declarationsOf, type Service } from "../../core/declaration/service";
import { valueAt } from "../../core/schema/value-at";
import { offeredBy, offeredCreated } from "../lists";
import { type InputDef, inputReader } from "../operation/input";
import { type ConnectionForm, optionsFromForm } from "./form";
import { answered, type Question, type Told } from "./questions";

/** More entries than this nobody looks through: their values may be written. */
const mostEntries = 5_000;

/** How much of a response the form shows. */
const mostCharacters = 20_000;

function readNamed(service: Service, name: unknown): Callable {
  const found = declarationsOf(service).find((each) => each.name === name);
  if (!found) throw new TypeError(`The service has no operation ${JSON.stringify(name)}.`);
  if (found.effect !== "read") throw new TypeError(`${found.title} changes something: only reads are tried.`);
  return found;
}

const entriesOf = (operation: Callable, body: unknown): readonly unknown[] =>
  answerOf(operation, body)?.rows ??
  listPathsOf(operation).flatMap((path) => (valueAt(body, path) ?? []) as unknown[]);

async function entriesFrom(client: ClientCore, operation: Callable): Promise<readonly unknown[]> {
  if (!comesInPages(operation)) return entriesOf(operation, (await client.call(operation, {})).body);
  const entries: unknown[] = [];
  for await (const { body } of client.pages(operation, {})) {
    entries.push(...entriesOf(operation, body));
    if (entries.length >= mostEntries) break;
  }
  return entries;
}

/** What a response is, in text, as far as a form shows it. */
async function shown(operation: Callable, { status, body, violations }: ServiceResponse): Promise<object> {
  const file = body instanceof ReceivedFile ? body : undefined;
  const bytes = await file?.bytes();
  const text = file
    ? `${file.fileName ?? "file"}, ${bytes!.length} bytes`
    : JSON.stringify(body, undefined, 2);
  return {
    status,
    ...cut(text),
    entries: answerOf(operation, body)?.rows.length ?? entriesIn(operation, body),
    violations: violations.slice(0, 10),
  };
}

/** Text as far as a form shows it. */
const cut = (text = "") => ({
  text: text.slice(0, mostCharacters),
  isCut: text.length > mostCharacters,
});

/** The secrets of a form, as they were written or are stored: a service may send back what it was sent. */
function secretsIn(service: Service, RED: NodeAPI, { id, values }: ConnectionForm): Secrets {
  const secrets = new Secrets();
  const stored = (RED.nodes.getCredentials(id) ?? {}) as Readonly<Record<string, string | undefined>>;
  for (const { name, secret } of settingsOf(service))
    if (secret) for (const value of [values[name], stored[name]]) secrets.add(value);
  return secrets;
}

/** Serves the forms of who may change flows. */
export function serveReading(RED: NodeAPI, service: Service): void {
  const mayWrite = RED.auth.needsPermission("fxdesk.write");

  const through = async (
    form: ConnectionForm,
    read: (client: ClientCore) => Promise<object>,
  ): Promise<Told> => {
    const client = createClient(optionsFromForm(service, RED, form), service);
    try {
      const text = JSON.stringify(await read(client));
      return { body: JSON.parse(secretsIn(service, RED, form).redact(text)) as object };
    } finally {
      await client.close();
    }
  };

  const listed = (
    form: ConnectionForm,
    { from, property }: Readonly<Record<string, unknown>>,
  ): Promise<Told> => {
    const creator = service.operations.find(({ name }) => name === from);
    if (creator && createdBy(creator) !== undefined)
      return through(form, async (client) => ({ entries: offeredCreated(await client.created(creator)) }));
    const operation = readNamed(service, from);
    return through(form, async (client) => ({
      entries: offeredBy(await entriesFrom(client, operation), String(property)),
    }));
  };

  const tried = (form: ConnectionForm, body: Readonly<Record<string, unknown>>): Promise<Told> => {
    const operation = readNamed(service, body.operation);
    const node = (RED.nodes.getNode(String(body.node)) as Node | null) ?? ({} as Node);
    const given = { fields: body.fields, input: body.input } as InputDef;
    return through(form, async (client) => {
      const input = await inputReader(operation, given, { RED, node })({ _msgid: "" });
      if (isWatch(operation)) {
        const from = (body.from || operation.begins) as WatchBeginning;
        const { changes, gaps } = await client.firstChanges(operation, input, { from });
        return { ...cut(JSON.stringify(changes, undefined, 2)), entries: changes.length, violations: gaps };
      }
      return shown(operation, await client.call(operation, input));
    });
  };

  const answers = { list: listed, try: tried };
  for (const [path, answer] of Object.entries(answers))
    RED.httpAdmin.post(`/fxdesk/connection/${path}`, mayWrite, (request, response) => {
      void answered(service, request as Question, answer).then(({ status = 200, body }) =>
        response.status(status).set("cache-control", "no-store").json(body),
      );
    });
}
