/** What the operations of the JSON interface share. Contract: Endpoints, conventions; Errors. */
import { ErrorMessage } from "../schema/error-bodies";
import { ClientId } from "../schema/values";
import { byConnection } from "../declaration/declare";

/** `client_id` of the query: the connection supplies it. */
export const clientId = byConnection(ClientId, "clientId");

/** Access token always, acting contact where there is one. */
export const credentials = ["accessToken", "contactId?"] as const;

/** The header that counts all entries of a paged list, as far as the contract documents it. */
export const totalCount = { "x-total-count": "Total number of entries." } as const;

/** The general meaning of each status; an operation says its own where the contract does. */
export const statusMeanings = {
  400: "Formatting, parameter or schema validation error.",
  401: "Access denied due to authentication failure.",
  403: "Action not completed due to data constraints.",
  404: "Client ID not found.",
  409: "Contact could not be updated because of a data constraint or the contact's status.",
  429: "Too many requests.",
  500: "Internal error.",
  502: "Internal integration error; contact support.",
  504: "Timeout.",
} as const;

/** The meaning of a status whose response explains itself in an ErrorMessage. */
export const withErrorMessage = <S extends string>(description: S) => [description, ErrorMessage] as const;

/** Refusals of an operation on one account. */
export const accountErrors = {
  400: statusMeanings[400],
  401: statusMeanings[401],
  403: statusMeanings[403],
  404: "Client ID or account UUID not found.",
  409: statusMeanings[409],
  502: statusMeanings[502],
} as const;
