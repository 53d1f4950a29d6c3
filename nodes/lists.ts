/**
 * Which list fills which field of a form. It follows from the declarations: a read that needs no input and lists entries in
 * which there is what the field takes; where there is none, what calls created that is identified so.
 */
import type { CreatedId } from "../core/client/response";
import { createdKindOf, creatorsOf, isSamePath, mayMeet, plainName } from "../core/declaration/created";
import { type DescribedField, inputFields, pageOf } from "../core/declaration/described-page";
import { entrySchemaOf } from "../core/declaration/listing";
import type { Callable, Declaration } from "../core/declaration/operation";
import { isProcedure } from "../core/declaration/procedure";
import { listIn } from "../core/declaration/rows";
import { callablesOf, type Service } from "../core/declaration/service";
import { elementOf, type Kind, kindOf, shapeOf } from "../core/schema/kind";

/** The list, by the name of what reads it or creates its entries, and the property of these that is the value. */
export interface FieldList {
  readonly from: string;
  readonly property: string;
}

interface Candidate {
  readonly callable: Callable;
  /** The kinds of the properties of an entry, by name. */
  readonly properties: ReadonlyMap<string, Kind>;
}

function candidateOf(callable: Callable): Candidate | undefined {
  const needsInput = inputFields(pageOf(callable)).some(({ need }) => need !== "optional");
  if (callable.effect !== "read" || needsInput) return undefined;
  const { rows } = callable;
  const list = rows === undefined ? undefined : listIn(callable, rows);
  const entry = rows === undefined ? entrySchemaOf(callable) : list && elementOf(list);
  if (!entry) return undefined;
  const properties = Object.entries(shapeOf(entry)).map(([name, schema]) => [name, kindOf(schema)] as const);
  return { callable, properties: new Map(properties) };
}

const singular = (name: string): string => name.replace(/ies$/, "y").replace(/s$/, "");

/** What identifies something, and what a client holds several of. */
const isPicked = (property: string): boolean => property.endsWith("_id") || property === "currency";

/** The properties that a field may mean: `accounts` are account IDs, `base_currency` is a currency. */
function propertiesFor(field: string): string[] {
  const name = singular(field);
  const currency = name.endsWith("_currency") ? ["currency"] : [];
  return [name, `${name}_id`, ...currency].filter(isPicked);
}

/** People know an entry by its amounts; a list of the service itself has all of them. */
function rankOf({ callable, properties }: Candidate, property: string): number {
  const names = [...properties.keys()];
  const isIdentity = names[0] === property && property.endsWith("_id") ? 4 : 0;
  const hasAmount = names.some((name) => /(^|_)amount$/.test(name)) ? 2 : 0;
  return isIdentity + hasAmount + (isProcedure(callable) ? 0 : 1);
}

/** The operations that are called. */
function calledBy({ operations }: Service, callable: Callable): readonly Declaration[] {
  const { uses = [callable.name] } = callable as Callable & { readonly uses?: readonly string[] };
  return operations.filter(({ name }) => uses.includes(name));
}

/** The servers that are called: what one identifies, the others do not know. */
const serversOf = (service: Service, callable: Callable): ReadonlySet<string> =>
  new Set(calledBy(service, callable).map(({ server }) => server));

/**
 * The operation whose kind a field takes, of those that create its identifier: the one at the path that an operation has before
 * it, else one that may be at it. Where the identifier stands in no path, any.
 */
function creatorFor(service: Service, name: string, called: readonly Declaration[]): Declaration | undefined {
  const paths = called.map((each) => createdKindOf(service, each)).filter((kind) => kind?.name === name);
  for (const server of new Set(called.map((each) => each.server))) {
    const creators = creatorsOf(service, name, server);
    const same = creators.find((each) => paths.some((kind) => isSamePath(kind!.path, each.path)));
    const near = creators.find((each) => paths.some((kind) => mayMeet(kind!.path, each.path)));
    const creator = same ?? near ?? creators[0];
    if (creator) return creator;
  }
  return undefined;
}

/** What calls created that a field takes, by an operation that creates it. */
function createdFor(service: Service, names: readonly string[], called: readonly Declaration[]) {
  for (const name of names) {
    const creator = creatorFor(service, name, called);
    if (creator) return { from: creator.name, property: creator.identifiedBy! };
  }
  return undefined;
}

/** Returns which list fills a field of an operation, procedure or watch of a service; undefined where none does. */
export function listsOf(
  service: Service,
): (callable: Callable, field: DescribedField) => FieldList | undefined {
  const candidates = callablesOf(service)
    .map(candidateOf)
    .filter((each) => each !== undefined);
  return (callable, { name, kind, schema, options }) => {
    const element = elementOf(schema);
    const value = element ? kindOf(element) : kind;
    const servers = serversOf(service, callable);
    const isKnown = (each: Candidate) =>
      [...serversOf(service, each.callable)].some((server) => servers.has(server));
    for (const property of options ? [] : propertiesFor(name)) {
      const fitting = candidates.filter((each) => each.properties.get(property) === value && isKnown(each));
      const [best] = fitting.toSorted((a, b) => rankOf(b, property) - rankOf(a, property));
      if (best) return { from: best.callable.name, property };
    }
    const isText = !options && value === "string";
    return isText
      ? createdFor(service, propertiesFor(plainName(name)), calledBy(service, callable))
      : undefined;
  };
}

/** An entry as a form offers it. */
export interface Offered {
  readonly value: string;
  /** What people know it by. */
  readonly title: string;
  /** In a word, which stays true: its currency, where it has one. */
  readonly label: string;
}

const shownValues = 5;

/** What is told of an entry beside identifiers and addresses: its first words and numbers. */
function wordsOf(entry: Readonly<Record<string, unknown>>, value: string): string[] {
  return Object.entries(entry)
    .filter(([name]) => !name.endsWith("_id"))
    .map(([, each]) => each)
    .filter((each) => typeof each === "number" || (typeof each === "string" && !/^https?:/.test(each)))
    .map(String)
    .filter((word) => word !== "" && word !== value);
}

/** The values that entries offer, each once. */
export function offeredBy(entries: readonly unknown[], property: string): Offered[] {
  const offered = new Map<string, Offered>();
  for (const entry of entries as readonly Readonly<Record<string, unknown>>[]) {
    const given = entry?.[property];
    if (typeof given !== "string" && typeof given !== "number") continue;
    const value = String(given);
    if (offered.has(value)) continue;
    // A currency is known by itself.
    const words = property.endsWith("_id") ? wordsOf(entry, value).slice(0, shownValues) : [];
    const label = typeof entry.currency === "string" ? entry.currency : (words[0] ?? value);
    offered.set(value, { value, title: words.join(" · "), label });
  }
  return [...offered.values()];
}

/** What calls created, as a form offers it: by when that was, to the minute, and by what people know it. */
export const offeredCreated = (created: readonly CreatedId[]): Offered[] =>
  created.map(({ id, at, words }) => {
    const when = `${new Date(at).toISOString().slice(0, 16)}Z`;
    return { value: id, title: [when, ...words].join(" · "), label: words[0] ?? when };
  });
