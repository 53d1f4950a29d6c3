/** Shared parts of the operations of the JSON interface. Contract: Endpoints, conventions; Errors. */
import { ErrorMessage } from "../values/error-bodies";
import { ClientId } from "../values/values";
import { byConnection, errorsWith } from "../spec/declare";

/** Query parameter `client_id`, filled by the connection. */
export const clientId = byConnection(ClientId, "clientId");

/** The access token is always sent, the acting contact if one is set. */
export const credentials = ["accessToken", "contactId?"] as const;

/** Header with the total number of entries of a paged list. Only some operations document it. */
export const totalCount = { "x-total-count": "Total number of entries." } as const;

/** Declares errors with their usual descriptions. Operations override them if the contract is more specific. */
export const usualErrors = errorsWith(
  {
    400: "Formatting, parameter or schema validation error.",
    401: "Access denied due to authentication failure.",
    403: "Action not completed due to data constraints.",
    404: "Client ID not found.",
    409: "Contact could not be updated because of a data constraint or the contact's status.",
    429: "Too many requests.",
    500: "Internal error.",
    502: "Internal integration error; contact support.",
    504: "Timeout.",
  },
  ErrorMessage,
);

/** Declares an error whose body is an ErrorMessage. */
export const withErrorMessage = <S extends string>(description: S) => [description, ErrorMessage] as const;

/** Errors of operations on one account. */
export const accountErrors = {
  ...usualErrors([400, 401, 403, 409, 502]),
  404: "Client ID or account UUID not found.",
};
