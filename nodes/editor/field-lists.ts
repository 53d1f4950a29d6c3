/**
 * Finds the list that offers values for a form field. Derived from the declarations: a read without required input whose
 * entries have the property that the field takes, or else the IDs of resources created by earlier calls.
 */
import type { CreatedResource } from "../../core/call/response";
import {
  resourceKindOf,
  operationsCreating,
  isSamePath,
  pathsMayMatch,
  toSnakeCase,
} from "../../core/spec/created-resources";
import { type FieldDoc, callerFieldDocs, describeOperation } from "../../core/spec/describe-operation";
import { listEntrySchema, listSchemaOf } from "../../core/spec/result-list";
import type { Callable, Declaration } from "../../core/spec/operation";
import { isProcedure } from "../../core/spec/procedure";
import { callablesOf, type Service } from "../../core/spec/service";
import { elementOf, type Kind, kindOf, metaOf, shapeOf } from "../../core/values/kind";

/** A list of values: the operation that reads it or creates its entries, and the property that is the value. */
export interface FieldList {
  readonly from: string;
  readonly property: string;
}

interface Candidate {
  readonly callable: Callable;
  /** Kind of each property of an entry, by name. */
  readonly properties: ReadonlyMap<string, Kind>;
}

function toCandidate(callable: Callable): Candidate | undefined {
  const needsInput = callerFieldDocs(describeOperation(callable)).some(
    ({ requirement }) => requirement !== "optional",
  );
  if (callable.effect !== "read" || needsInput) return undefined;
  const { resultList } = callable;
  const list = resultList === undefined ? undefined : listSchemaOf(callable, resultList);
  const entry = resultList === undefined ? listEntrySchema(callable) : list && elementOf(list);
  if (!entry) return undefined;
  const properties = Object.entries(shapeOf(entry)).map(([name, schema]) => [name, kindOf(schema)] as const);
  return { callable, properties: new Map(properties) };
}

const singular = (name: string): string => name.replace(/ies$/, "y").replace(/s$/, "");

/** True for IDs and currencies: a client has several of each. */
const isPickable = (property: string): boolean => property.endsWith("_id") || property === "currency";

/** Returns the properties that a field can refer to: `accounts` takes account IDs, `base_currency` a currency. */
function candidateProperties(field: string): string[] {
  const name = singular(field);
  const currency = name.endsWith("_currency") ? ["currency"] : [];
  return [name, `${name}_id`, ...currency].filter(isPickable);
}

/** Prefers lists whose entries have amounts, which people recognise, and operations over procedures, which may filter. */
function rankOf({ callable, properties }: Candidate, property: string): number {
  const names = [...properties.keys()];
  const isIdentity = names[0] === property && property.endsWith("_id") ? 4 : 0;
  const hasAmount = names.some((name) => /(^|_)amount$/.test(name)) ? 2 : 0;
  return isIdentity + hasAmount + (isProcedure(callable) ? 0 : 1);
}

/** Returns the operations that a callable uses. */
function operationsCalledBy({ operations }: Service, callable: Callable): readonly Declaration[] {
  const { uses = [callable.name] } = callable as Callable & { readonly uses?: readonly string[] };
  return operations.filter(({ name }) => uses.includes(name));
}

/** Returns the servers that a callable uses. An ID is valid only on the server that issued it. */
const serversOf = (service: Service, callable: Callable): ReadonlySet<string> =>
  new Set(operationsCalledBy(service, callable).map(({ server }) => server));

/**
 * Returns the operation that creates the resource whose ID a field takes: preferably at the same path, else at a path that
 * can match, else any operation that creates an ID of that name.
 */
function findCreator(
  service: Service,
  name: string,
  calledOperations: readonly Declaration[],
): Declaration | undefined {
  const paths = calledOperations
    .map((each) => resourceKindOf(service, each))
    .filter((kind) => kind?.name === name);
  for (const server of new Set(calledOperations.map((each) => each.server))) {
    const creators = operationsCreating(service, name, server);
    const atSamePath = creators.find((each) => paths.some((kind) => isSamePath(kind!.path, each.path)));
    const atMatchingPath = creators.find((each) =>
      paths.some((kind) => pathsMayMatch(kind!.path, each.path)),
    );
    const creator = atSamePath ?? atMatchingPath ?? creators[0];
    if (creator) return creator;
  }
  return undefined;
}

/** Returns the list of created resources whose ID a field takes. */
function findCreatedList(
  service: Service,
  names: readonly string[],
  calledOperations: readonly Declaration[],
) {
  for (const name of names) {
    const creator = findCreator(service, name, calledOperations);
    if (creator) return { from: creator.name, property: creator.identifiedBy! };
  }
  return undefined;
}

/** Returns a function that finds the list for a field of an operation, procedure or watch, or undefined if there is none. */
export function createListFinder(
  service: Service,
): (callable: Callable, field: FieldDoc) => FieldList | undefined {
  const candidates = callablesOf(service)
    .map(toCandidate)
    .filter((each) => each !== undefined);
  const details = candidates.find(({ properties }) => properties.has("iban") && properties.has("account_id"));
  const ownIbans = details && { from: details.callable.name, property: "iban" };
  return (callable, { name, kind, schema, options }) => {
    // An IBAN is valid on every server.
    if (metaOf(schema).ownIban) return ownIbans;
    const element = elementOf(schema);
    const value = element ? kindOf(element) : kind;
    const servers = serversOf(service, callable);
    const isKnown = (each: Candidate) =>
      [...serversOf(service, each.callable)].some((server) => servers.has(server));
    for (const property of options ? [] : candidateProperties(name)) {
      const matching = candidates.filter((each) => each.properties.get(property) === value && isKnown(each));
      const [best] = matching.toSorted((a, b) => rankOf(b, property) - rankOf(a, property));
      if (best) return { from: best.callable.name, property };
    }
    const isText = !options && value === "string";
    return isText
      ? findCreatedList(
          service,
          candidateProperties(toSnakeCase(name)),
          operationsCalledBy(service, callable),
        )
      : undefined;
  };
}

/** An entry offered by a form field. */
export interface PickerOption {
  readonly value: string;
  /** Recognisable values of the entry. */
  readonly title: string;
  /** Short label that stays valid: the currency if the entry has one. */
  readonly label: string;
}

const maxTitleValues = 5;

/** Names of properties by which people do not recognise an entry. */
const isUnhelpful = /_id$|number|identifier|^bic$|^type$/;

/** Separates thousands by narrow spaces, as all languages of the editor understand. */
const groupThousands = (amount: string): string =>
  amount.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, "\u202f");

/** Returns the texts and numbers of an entry, without identifiers and URLs. */
function titleValuesOf(entry: Readonly<Record<string, unknown>>, value: string): string[] {
  return Object.entries(entry)
    .filter(([name]) => !isUnhelpful.test(name))
    .filter(([, each]) => typeof each === "number" || (typeof each === "string" && !/^https?:/.test(each)))
    .map(([name, each]) => (/(^|_)amount$/.test(name) ? groupThousands(String(each)) : String(each)))
    .filter((word) => word !== "" && word !== value);
}

/** Returns the distinct values of a property as picker options. */
export function toPickerOptions(entries: readonly unknown[], property: string): PickerOption[] {
  const options = new Map<string, PickerOption>();
  for (const entry of entries as readonly Readonly<Record<string, unknown>>[]) {
    // Details without an account are shared with other clients.
    const raw = property === "iban" && !entry.account_id ? undefined : entry?.[property];
    if (typeof raw !== "string" && typeof raw !== "number") continue;
    const value = String(raw);
    if (options.has(value)) continue;
    // A currency needs no further description.
    const titleValues = property === "currency" ? [] : titleValuesOf(entry, value).slice(0, maxTitleValues);
    const label = typeof entry.currency === "string" ? entry.currency : (titleValues[0] ?? value);
    options.set(value, { value, title: titleValues.join(" · "), label });
  }
  return [...options.values()];
}

/** Returns created resources as picker options, titled with the minute of creation (UTC) and recognisable values. */
export const toCreatedPickerOptions = (created: readonly CreatedResource[]): PickerOption[] =>
  created.map(({ id, at, labelParts }) => {
    const createdAt = `${new Date(at).toISOString().slice(0, 16)}Z`;
    return { value: id, title: [createdAt, ...labelParts].join(" · "), label: labelParts[0] ?? createdAt };
  });
