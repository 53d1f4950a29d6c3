/**
 * The declaration of an operation: one call of the service as plain data, from which the client, the Node-RED nodes,
 * the MCP tools, the commands, the sandbox routes and the documents are derived.
 */
import type { z } from "zod";

/**
 * The effect of a call: `read` changes nothing; `change` changes or requests something; `money` commits or moves
 * money, or changes who may approve payments.
 */
export type Effect = "read" | "change" | "money";

/** One sentence per effect, for people and models. */
export const effectDescriptions: Readonly<Record<Effect, string>> = {
  read: "Changes nothing.",
  change: "Changes or requests something.",
  money: "Commits or moves money, or changes who may approve payments.",
};

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** The source of a parameter's value. Forms, tools and commands show only the parameters of the caller. */
export type FilledBy = "caller" | "connection" | "fxdesk";

/** A value that fxdesk can generate: a new UUID or reference per call, or the address of this machine. */
export type GeneratedValue = "uuid" | "reference" | "local-address";

/** A parameter with more than a schema. A bare schema declares a parameter that the caller fills. */
export interface Parameter<S extends z.ZodType = z.ZodType, By extends FilledBy = FilledBy> {
  readonly schema: S;
  readonly by: By;
  /** Name of the connection setting that holds the value. Default: the name of the parameter. */
  readonly setting?: string;
  /** Value that fxdesk generates if neither the caller nor the connection provides one. */
  readonly generate?: GeneratedValue;
  /** Code and people may set it, with the connection's value as default. Models never see it. */
  readonly hiddenFromModels?: true;
  /** Encoding of an array in the query: `a=1&a=2` (`repeat`, the default) or `a=1,2` (`comma`). */
  readonly list?: "repeat" | "comma";
}

export type Shape = Readonly<Record<string, z.ZodType | Parameter>>;

/** Media types of a response that is text instead of JSON, and the values of an input field that select it. */
export interface AsText {
  readonly mediaTypes: readonly string[];
  readonly field: string;
  readonly values: readonly string[];
}

/** The response to one success status. */
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

/** Documented response headers: name to description. */
export type ResponseHeaders = Readonly<Record<string, string>>;

/**
 * A request body that is one text in its own media type, for example XML. It replaces the JSON body: a call that sets
 * its field must not set the fields of the body, except those listed in `form`.
 */
export interface TextDocument {
  /** Input field that contains the text. */
  readonly name: string;
  readonly schema: z.ZodType;
  /** Requests are sent with the first; the sandbox accepts all. */
  readonly mediaTypes: readonly [string, ...string[]];
  /** Encoding as multipart/form-data, if fields of the body are sent along with the document. */
  readonly form?: DocumentForm;
}

export interface DocumentForm {
  /** Name of the part with the document. */
  readonly documentPart: string;
  /** Name of the part with the fields, as JSON. */
  readonly fieldsPart: string;
  readonly fields: readonly string[];
}

/** A documented error: its description, with the schema of its body if the contract has one. */
export type ErrorDeclaration = string | readonly [description: string, body: z.ZodType];

/** Returns the description of a documented error. */
export const errorDescription = (error: ErrorDeclaration): string =>
  typeof error === "string" ? error : error[0];

/** Returns the body schema of a documented error, or undefined if the contract has none. */
export const errorBody = (error: ErrorDeclaration): z.ZodType | undefined =>
  typeof error === "string" ? undefined : error[1];

/** A list with numbered pages: `page` and `size` name the query parameters. */
export interface Paging {
  readonly page: string;
  readonly size: string;
  /** Entries per page if the caller sets no size. */
  readonly defaultSize: number;
  /** Response header with the total count, if documented. Without it, a page that is not full is the last one. */
  readonly total?: string;
}

/** A list inside an object whose pages link to the next one. GET operations only. */
export interface LinkedPages {
  /** Paths to one or more lists of entries, for example `transactions.booked`. */
  readonly entries: readonly string[];
  /** Path to the link to the next page, an object with `href`. The last page has none. */
  readonly next: string;
}

/** Automatic recovery of the outcome of a call whose response was lost. */
export type Recovery = ListedRecovery | ResentRecovery;

/** Recovery by searching all pages of the list that the `lookup` operation reads. */
export interface ListedRecovery {
  readonly kind: "listed";
  /** Input field whose value appears in the list. Identifies the call as long as the value is unique. */
  readonly reference: string;
  /** Fields of a listed entry: the reference, the day of its creation, and its ID. */
  readonly entry: { readonly reference: string; readonly day: string; readonly identity: string };
}

/**
 * Recovery by sending the call again with the same request ID, if a setting confirms that the service deduplicates by
 * it.
 */
interface ResentRecovery {
  readonly kind: "resent";
  /** Setting that must be `yes` to allow it. */
  readonly setting: string;
}

/** A condition over several fields, or a field and the clock. Plain data, so that help and tools can show it. */
export type Rule = { readonly description: string } & (
  | { readonly kind: "exactly-one" | "at-least-one"; readonly fields: readonly string[] }
  | { readonly kind: "ordered"; readonly fields: readonly [earlier: string, later: string] }
  | { readonly kind: "not-future"; readonly fields: readonly [string] }
  | {
      /** The fields must be omitted if `other` has one of the values. */
      readonly kind: "excluded-by";
      readonly fields: readonly string[];
      readonly other: string;
      readonly values: readonly string[];
    }
  | {
      /** The fields are required if `other` has one of the values. */
      readonly kind: "needed-by";
      readonly fields: readonly string[];
      readonly other: string;
      readonly values: readonly string[];
    }
  | {
      /** All amounts in the fields must have this currency if `other` has one of the values. */
      readonly kind: "currency";
      readonly fields: readonly string[];
      readonly currency: string;
      readonly other: string;
      readonly values: readonly string[];
    }
  | {
      /** The fields are required unless one of the `unless` fields is given, or has one of its values. */
      readonly kind: "needed-unless";
      readonly fields: readonly string[];
      readonly unless: Readonly<Record<string, "given" | readonly string[]>>;
    }
);

/** HTTP statuses of the errors for a missing and for an unknown customer ID. */
export interface CustomerErrorStatuses {
  readonly missing: number;
  readonly unknown: number;
}

/** The appearance of a section. All properties are optional. */
export interface SectionDeclaration {
  /** Heading in documents and help. Default: the words of the section's name. */
  readonly title?: string;
  /** File name in icons/. */
  readonly icon?: string;
  /** Group of the Node-RED palette. */
  readonly category?: string;
  /** Methods of daily work, in the order of work. The palette shows the others below all of daily work. */
  readonly daily?: readonly string[];
  /** Palette group of the other methods. Default: `category`. */
  readonly advanced?: string;
  /** Sort position. Sections without one come last. */
  readonly order?: number;
}

/** The common part of operations, procedures and watches: all that the surfaces show. */
export interface Callable {
  /** `section.method`, identical on every surface. */
  readonly name: string;
  /** Name of the MCP tool. With dashes and a prefix, also the type of the Node-RED node. */
  readonly tool: string;
  readonly title: string;
  /** One sentence: what a call returns or does. */
  readonly summary: string;
  /** Further facts that a caller needs. */
  readonly notes?: string;
  /** Search words for the palette and `fxdesk operations`, English and German, beyond those in title and summary. */
  readonly keywords?: readonly string[];
  /** Icon in the palette, if not that of its section: a file in icons/ or a name of Font Awesome. */
  readonly icon?: string;
  /** Title, icon and palette group of the section. One declaration per section is enough. */
  readonly section?: SectionDeclaration;
  readonly effect: Effect;
  readonly rules?: readonly Rule[];
  readonly responses: Readonly<Record<number, ResponseDeclaration>>;
  readonly errors: Readonly<Record<number, ErrorDeclaration>>;
  readonly pages?: Paging;
  readonly linkedPages?: LinkedPages;
  /** Field with the main list of the result, for example `transactions`. Tables and CSV show this list. */
  readonly resultList?: string;
  /** Effect of the calls it supports: shown to users who may make those, hidden from others. */
  readonly companionOf?: Effect;
  /** Page in which hosts of AI assistants show the result. */
  readonly card?: "position" | "order";
  /** True if it produces files. The surface decides where they are stored. */
  readonly deliversFiles?: true;
  /**
   * True if calls count against an agreed number of reads, so that callers should store results instead of repeating
   * calls.
   */
  readonly quotaBound?: true;
  /**
   * Response field with the ID of the result. A success without it does not prove execution: a field of text or
   * number type must have a non-blank value, any other field a value.
   */
  readonly identifiedBy?: string;
  /** Operation that shows whether a call was carried out, for example `trades.list` for `trades.book`. */
  readonly lookup?: string;
  readonly recovery?: Recovery;
  /** Values that fxdesk generates for fields of the caller that are omitted or blank. */
  readonly generates?: Readonly<Record<string, GeneratedValue>>;
  /** Required fields that a model may omit. Their values are then read from another operation. */
  readonly lookedUp?: Readonly<Record<string, LookedUpField>>;
  /** Input field whose value can be used only once. A 409 may mean that an earlier call used the same value. */
  readonly singleUseField?: string;
  /** Section of the contract. Empty for procedures and watches. */
  readonly contract: string;
}

/**
 * One operation of the service: request, responses and effect. Declared with `operation()` or `section()` of
 * declare.ts.
 */
export interface Declaration extends Callable {
  readonly method: Method;
  /** Path below the server's base address, with {parameters}. */
  readonly path: string;
  /** Name of one of the service's servers. */
  readonly server: string;
  /** Names of the service's credentials that a request carries. A trailing `?` marks an optional one. */
  readonly credentials: readonly string[];
  readonly parameters?: Shape;
  readonly query?: Shape;
  readonly headers?: Shape;
  readonly body?: z.ZodObject;
  readonly document?: TextDocument;
  /** Present if the operation prices trades. */
  readonly quotes?: QuoteDeclaration;
  /** Location of the committed amounts; `none` if a call commits no further money. If omitted, the amount is unknown. */
  readonly commits?: "none" | CommittedAmountPaths;
  /** Body fields by which people recognise the created resource, in addition to the committed amounts. */
  readonly labelFields?: readonly string[];
  /** Set only if the contract documents statuses for this operation that differ from the service's usual ones. */
  readonly customerErrorStatuses?: Partial<CustomerErrorStatuses>;
}

/** The value of a field that is read from an operation without input. */
export interface LookedUpField {
  /** Name of the operation. */
  readonly from: string;
  /** Field of the listed entries. Its different values are joined by commas. */
  readonly field: string;
  /** Meaning of the value, for people. */
  readonly description: string;
}

/** A property of an ordered trade, as passed to a quote request. */
export type QuoteField =
  | "amount"
  | "fixed_side"
  | "buy_currency"
  | "sell_currency"
  | "trade_type"
  | "value_date"
  | "window_start_date"
  | "parent_trade_id";

/** The contents of a quote. Quotes without a fee omit both fee fields. */
export interface QuotedFields {
  /** ID with which the quote is booked. */
  readonly quote_id: string;
  readonly rate: string;
  /** Currency pair of the rate, for example EURUSD: the price of one EUR in USD. */
  readonly rate_symbol: string;
  readonly buy_amount: string;
  readonly buy_currency: string;
  readonly sell_amount: string;
  readonly sell_currency: string;
  readonly value_date: string;
  readonly fee_amount?: string;
  readonly fee_currency?: string;
}

/** Mapping from orders to an operation that returns bookable quotes. */
export interface QuoteDeclaration {
  /** HTTP status of a bookable response. */
  readonly status: number;
  /** Input field for each property of an order. Orders with a property not listed here cannot be priced. */
  readonly requestFields: Readonly<Partial<Record<QuoteField, string>>>;
  /** Input fields with a fixed value. */
  readonly fixedFields?: Readonly<Record<string, string>>;
  /** Response field for each part of the quote. */
  readonly responseFields: QuotedFields;
  /** How the operation returns an estimate, which cannot be booked, if it does. Its rate is shown beside the limit of an order. */
  readonly estimate?: {
    readonly fixedFields: Readonly<Record<string, string>>;
    readonly responseFields: Pick<QuotedFields, "rate" | "rate_symbol">;
  };
}

/** Location of the committed amounts in the input. */
export interface CommittedAmountPaths {
  /** Paths to objects with `amount` and `currency`, as far as they are given. `*` matches every entry of a list. */
  readonly paths?: readonly string[];
  /** Format of the document, whose amounts count as well. */
  readonly document?: "pain.001";
  /** Field beside each amount with the account to credit. A document names its accounts itself. */
  readonly creditor?: string;
  /** Input field with the account to debit. A document names its accounts itself. */
  readonly account?: string;
  /** Input field with the ID of the quote that is booked. */
  readonly quote?: string;
  /** Values of fields with which more than these amounts is committed, so that the total is unknown. */
  readonly unless?: Readonly<Record<string, readonly string[]>>;
}

/** True if the rule requires fields, rather than excluding or ordering them. */
export const isRequirementRule = ({ kind }: Rule): boolean =>
  ["exactly-one", "at-least-one", "needed-by", "needed-unless"].includes(kind);

/** Returns the instruction for a caller whose response was lost, as the start of a sentence. */
export const lookupInstruction = ({ lookup }: Callable): string =>
  lookup === undefined ? "check at the service" : `check with ${lookup}`;

/** Returns all fields that a rule mentions. */
export const fieldsOfRule = (rule: Rule): readonly string[] => [
  ...rule.fields,
  ...("other" in rule ? [rule.other] : []),
  ...("unless" in rule ? Object.keys(rule.unless) : []),
];

/** True if the operation declares a response of this kind. */
export const mayRespondWith = ({ responses }: Callable, kind: ResponseDeclaration["kind"]): boolean =>
  Object.values(responses).some((response) => response.kind === kind);
