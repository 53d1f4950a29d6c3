/** What an operation of the service is: data from which every surface derives. */
import type { z } from "zod";

/**
 * What a call does. `read` changes nothing; `change` changes or asks for something; `money` commits or moves money, or
 * changes who may approve it.
 */
export type Effect = "read" | "change" | "money";

/** What each effect means, for people and models; the surfaces add what matters to them. */
export const effectDescriptions: Readonly<Record<Effect, string>> = {
  read: "Changes nothing.",
  change: "Changes or requests something.",
  money: "Commits or moves money, or changes who may approve it.",
};

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** Who gives a parameter its value. Only the caller's appear on a form, a tool or the command line. */
export type FilledBy = "caller" | "connection" | "fxdesk";

/** What fxdesk can make by itself: a new UUID or reference for each call, or this machine's own address. */
export type GeneratedValue = "uuid" | "reference" | "local-address";

/** A parameter of which there is more to say than its schema. A bare schema is a parameter the caller fills. */
export interface Parameter<S extends z.ZodType = z.ZodType, By extends FilledBy = FilledBy> {
  readonly schema: S;
  readonly by: By;
  /** The connection's name for the value; by default the parameter's own. */
  readonly setting?: string;
  /** How fxdesk makes the value where nobody gives one. */
  readonly generate?: GeneratedValue;
  /** Code or a person may fill it, else the connection does; a model is never asked for it. */
  readonly hiddenFromModels?: true;
  /** How an array is written in a query: `a=1&a=2` (the default) or `a=1,2`. */
  readonly list?: "repeat" | "comma";
}

export type Shape = Readonly<Record<string, z.ZodType | Parameter>>;

/** Media types in which a response comes as text instead of JSON, and the values of a field that ask for that. */
export interface AsText {
  readonly mediaTypes: readonly string[];
  readonly field: string;
  readonly values: readonly string[];
}

/** What comes back with one status. */
export type ResponseDeclaration =
  | {
      readonly kind: "json";
      readonly description: string;
      readonly schema: z.ZodType;
      readonly headers?: ResponseHeaders;
      readonly asText?: AsText;
    }
  | {
      readonly kind: "text" | "html" | "file" | "empty";
      readonly description: string;
      readonly headers?: ResponseHeaders;
    };

/** Documented headers of a response and what they mean. */
export type ResponseHeaders = Readonly<Record<string, string>>;

/**
 * A body that is one text in a media type of its own, such as XML. A call has it in place of the JSON body: where its
 * field is given, the body's fields make no sense, save those that go along in a form.
 */
export interface TextDocument {
  /** The field that holds the text. */
  readonly name: string;
  readonly schema: z.ZodType;
  /** The first is written; each is read. */
  readonly mediaTypes: readonly [string, ...string[]];
  /** With some of the body's fields beside it, the two are parts of a multipart/form-data body. */
  readonly form?: DocumentForm;
}

export interface DocumentForm {
  /** Name of the part that is the document. */
  readonly documentPart: string;
  /** Name of the part that holds the fields, as JSON. */
  readonly fieldsPart: string;
  readonly fields: readonly string[];
}

/** A documented error: its meaning, and the schema of its body where the contract gives one. */
export type ErrorDeclaration = string | readonly [description: string, body: z.ZodType];

/** What a documented error means. */
export const errorDescription = (error: ErrorDeclaration): string =>
  typeof error === "string" ? error : error[0];

/** The schema of its body, where the contract gives it one. */
export const errorBody = (error: ErrorDeclaration): z.ZodType | undefined =>
  typeof error === "string" ? undefined : error[1];

/** How a list is read page by page. */
export interface Paging {
  readonly page: string;
  readonly size: string;
  /** Entries on a page when the caller does not say. */
  readonly defaultSize: number;
  /** The header that counts all entries, where the contract documents one; else a short page is the last. */
  readonly total?: string;
}

/** How a list inside an object is read page by page: each page links to the next one. Only for operations that GET. */
export interface LinkedPages {
  /** Where a page has its entries: paths to one or more lists, such as `transactions.booked`. */
  readonly entries: readonly string[];
  /** Where a page has the link to the next, an object with `href`; the last one has none. */
  readonly next: string;
}

/** How fxdesk finds out by itself what became of a call whose response was lost. */
export type Recovery = ListedRecovery | ResentRecovery;

/** It looks for the call in the list that `lookup` reads, through all its pages. */
export interface ListedRecovery {
  readonly kind: "listed";
  /** The field of the input whose value the list shows again. It tells one call from another where no two have the same. */
  readonly reference: string;
  /** The fields of a listed entry: that reference, the day on which it was made, and what identifies it. */
  readonly entry: { readonly reference: string; readonly day: string; readonly identity: string };
}

/** It sends the call once more under the same request id, where a setting says that the service then does nothing anew. */
export interface ResentRecovery {
  readonly kind: "resent";
  /** The setting whose value is `yes` where the service does so. */
  readonly setting: string;
}

/** A condition over several fields, or over a field and the clock. Data, so that help and tools can say it too. */
export type Rule = { readonly description: string } & (
  | { readonly kind: "exactly-one" | "at-least-one"; readonly fields: readonly string[] }
  | { readonly kind: "ordered"; readonly fields: readonly [earlier: string, later: string] }
  | { readonly kind: "not-future"; readonly fields: readonly [string] }
  | {
      /** None of the fields makes sense while the other has one of the values. */
      readonly kind: "excluded-by";
      readonly fields: readonly string[];
      readonly other: string;
      readonly values: readonly string[];
    }
  | {
      /** The fields are needed when the other has one of the values. */
      readonly kind: "needed-by";
      readonly fields: readonly string[];
      readonly other: string;
      readonly values: readonly string[];
    }
  | {
      /** The fields are needed unless another is given, or has one of the values. */
      readonly kind: "needed-unless";
      readonly fields: readonly string[];
      readonly unless: Readonly<Record<string, "given" | readonly string[]>>;
    }
);

/** The statuses of the errors for a customer id that is missing, or that the service does not know. */
export interface CustomerErrorStatuses {
  readonly missing: number;
  readonly unknown: number;
}

/** The appearance of a section. Properties that are left out have defaults. */
export interface SectionDeclaration {
  /** Heading in documents and help; by default the words of the section's name. */
  readonly title?: string;
  /** File in icons/. */
  readonly icon?: string;
  /** Group of the Node-RED palette. */
  readonly category?: string;
  /** Place among the sections; those without one come last. */
  readonly order?: number;
}

/** What can be called, an operation or a procedure: what every surface shows of it. */
export interface Callable {
  /** `section.method`, the same on every surface. */
  readonly name: string;
  /** The name of the MCP tool and, with dashes and a prefix, of the Node-RED node. */
  readonly tool: string;
  readonly title: string;
  /** One sentence. */
  readonly summary: string;
  /** What a caller must know beyond the summary. */
  readonly notes?: string;
  /** Search words of the palette and of `fxdesk operations`, English and German, that title and summary lack. */
  readonly keywords?: readonly string[];
  /** Title, icon and palette group of its section; one declaration of the section is enough. */
  readonly section?: SectionDeclaration;
  readonly effect: Effect;
  readonly rules?: readonly Rule[];
  readonly responses: Readonly<Record<number, ResponseDeclaration>>;
  readonly errors: Readonly<Record<number, ErrorDeclaration>>;
  readonly pages?: Paging;
  readonly linkedPages?: LinkedPages;
  /** The list in a result that is the answer, such as `transactions`; what is beside it says how many and how whole. */
  readonly resultList?: string;
  /** It belongs to calls with this effect: who is offered those is offered this. */
  readonly companionOf?: Effect;
  /** It gives files, which go where the surface says. */
  readonly deliversFiles?: true;
  /** Each call counts against a number of reads that was agreed on: what was read is better kept than read again. */
  readonly quotaBound?: true;
  /**
   * The field of a JSON response that identifies what was done. A success that does not hold it proves nothing: text or a
   * number must be there, or any value where the field is neither.
   */
  readonly identifiedBy?: string;
  /** Name of the operation that shows whether a call was carried out: `trades.list` for `trades.book`. */
  readonly lookup?: string;
  readonly recovery?: Recovery;
  /** What fxdesk makes for fields of the caller's that are left out or blank. */
  readonly generates?: Readonly<Record<string, GeneratedValue>>;
  /** The field of the input that can be used once. A 409 on it may stem from an earlier call with the same value. */
  readonly singleUseField?: string;
  /** Where the contract describes it. */
  readonly contract: string;
}

/** One operation of the service: its request, its responses and what it does. `operation()` of declare.ts checks one. */
export interface Declaration extends Callable {
  readonly method: Method;
  /** Path with {parameters}, from the base address. */
  readonly path: string;
  /** One of the service's servers. */
  readonly server: string;
  /** The secrets and identities a call carries, of those that the service knows; a question mark where it can do without. */
  readonly credentials: readonly string[];
  readonly parameters?: Shape;
  readonly query?: Shape;
  readonly headers?: Shape;
  readonly body?: z.ZodObject;
  readonly document?: TextDocument;
  /** It prices trades. */
  readonly quotes?: QuoteDeclaration;
  /** How much a call commits; nobody knows where it is left out. */
  readonly commits?: CommittedAmountPaths;
  /** The fields of the body by which people know what a call created, beside the amounts that it commits. */
  readonly labelFields?: readonly string[];
  /** Only where the contract documents other statuses for this operation than the service usually gives. */
  readonly customerErrorStatuses?: Partial<CustomerErrorStatuses>;
}

/** What an order says of a trade, as a quote is asked for it. */
export type QuoteField =
  | "amount"
  | "fixed_side"
  | "buy_currency"
  | "sell_currency"
  | "trade_type"
  | "value_date"
  | "window_start_date"
  | "parent_trade_id";

/** What a quote says. The fee and its currency are left out where a quote does not tell them. */
export interface QuotedFields {
  /** What the quote is booked by. */
  readonly quote_id: string;
  readonly rate: string;
  /** The pair of the rate, such as EURUSD: the price of one EUR in USD. */
  readonly rate_symbol: string;
  readonly buy_amount: string;
  readonly buy_currency: string;
  readonly sell_amount: string;
  readonly sell_currency: string;
  readonly value_date: string;
  readonly fee_amount?: string;
  readonly fee_currency?: string;
}

/** How an operation prices a trade that can be booked from its response: orders take their quotes from it. */
export interface QuoteDeclaration {
  /** The status of a response that can be booked. */
  readonly status: number;
  /** The field that takes what an order says; an order that says something else cannot be priced by it. */
  readonly requestFields: Readonly<Partial<Record<QuoteField, string>>>;
  /** Other fields, as they are always given. */
  readonly fixedFields?: Readonly<Record<string, string>>;
  /** The field of the response that tells each part. */
  readonly responseFields: QuotedFields;
}

/** Where the input of a call that commits money says how much. */
export interface CommittedAmountPaths {
  /** Paths to objects of an amount and a currency; a `*` stands for each entry of a list. */
  readonly paths: readonly string[];
  /** Where a field has one of these values, more than that is committed. */
  readonly unless?: Readonly<Record<string, readonly string[]>>;
}

/** Whether a rule says what must be given, rather than what must not. */
export const isRequirementRule = ({ kind }: Rule): boolean =>
  ["exactly-one", "at-least-one", "needed-by", "needed-unless"].includes(kind);

/** How a caller finds out what became of a call whose response was lost, as the beginning of an order. */
export const lookupInstruction = ({ lookup }: Callable): string =>
  lookup === undefined ? "check at the service" : `look in ${lookup}`;

/** Every field a rule speaks of. */
export const fieldsOfRule = (rule: Rule): readonly string[] => [
  ...rule.fields,
  ...("other" in rule ? [rule.other] : []),
  ...("unless" in rule ? Object.keys(rule.unless) : []),
];

/** Whether an operation may respond so. */
export const mayRespondWith = ({ responses }: Callable, kind: ResponseDeclaration["kind"]): boolean =>
  Object.values(responses).some((response) => response.kind === kind);
