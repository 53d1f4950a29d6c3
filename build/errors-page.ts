/** Generates docs/errors.md: each error code with its meaning, whether anything was sent, and what to do. */
import { exitCodeOf } from "../cli/command-line/exit-codes";
import { createError, type ErrorCode } from "../core/spec/errors";

interface ErrorDescription {
  readonly meaning: string;
  /** Whether the request was sent or carried out. */
  readonly sent: string;
  readonly action: string;
}

const notSent = "Nothing was sent.";
const rejectedOr = (reason: string) =>
  `${reason} the service refused the request, so it was not carried out (\`rejected\`).`;

/** In the order in which people meet them. */
const descriptions: Readonly<Record<ErrorCode, ErrorDescription>> = {
  invalid_input: {
    meaning:
      "The input is invalid. fxdesk found it before sending, or the service did (400, 422). `violations` names each field and what is allowed.",
    sent: rejectedOr("With the outcome `not-sent`, nothing was sent. With a status,"),
    action: "Correct the named fields and call again.",
  },
  no_connection: {
    meaning: "There is no usable connection: a node has none or an incomplete one, or the client was closed.",
    sent: notSent,
    action:
      "Choose a connection in the node, or complete its settings. In code, create a new client: a closed one stays closed.",
  },
  unauthorized: {
    meaning:
      "The service refused the credentials (401), there is no access token, or the token endpoint refused the refresh token.",
    sent: rejectedOr("Without an access token, nothing was sent. Otherwise"),
    action:
      "Run `fxdesk whoami`. Replace an expired access token, or [log in](login.md) again. Check that the token belongs to this environment.",
  },
  forbidden: {
    meaning: "The credentials are valid but do not permit this call for this client (403).",
    sent: "The service refused the request; it was not carried out.",
    action:
      "Check the client ID, and ask your provider for the missing permission. Trades also need the API key.",
  },
  not_found: {
    meaning: "The client, account, quote, trade or other item does not exist (404).",
    sent: "The service refused the request; it was not carried out.",
    action:
      "Check the ID, and that it belongs to this client and environment. A quote also disappears when it expires.",
  },
  conflict: {
    meaning:
      "The state of the item does not allow the call (409), or its request key, quote or release was already used.",
    sent: "This call was not carried out. An earlier one may have been: `earlier` has its outcome if fxdesk knows it.",
    action:
      "Read `earlier`, or look the call up with `fxdesk journal list`. Use a new key only for another request.",
  },
  not_allowed: {
    meaning: "The address does not support this call (405).",
    sent: "The service refused the request; it was not carried out.",
    action: "Check the base address of the connection with `fxdesk config`.",
  },
  refused: {
    meaning: "The service refused the call with another status between 400 and 499.",
    sent: "The service refused the request; it was not carried out.",
    action: "Read the message of the service in `service`, and ask your provider if it is unclear.",
  },
  rate_limited: {
    meaning:
      "The service received too many requests (429), the queue of waiting calls is full, or the service asked for a pause that is longer than the time limit.",
    sent: rejectedOr("With the outcome `not-sent`, nothing was sent. With a status,"),
    action:
      "Wait for `retryAfterMs` and try again. If several processes share a client, see [Scaling](scaling.md#rate-limits).",
  },
  timeout: {
    meaning:
      "There was no response within the time limit, of fxdesk (`timeoutMs`) or the service (408, 504).",
    sent: "See `outcome`. If it is `unknown`, a change may have been carried out. A money call that was sent is `outcome_unknown` instead.",
    action:
      "Repeat a read. For a change, look first whether it was carried out. Raise `FXDESK_TIMEOUT_MS` if the service is always slow.",
  },
  unavailable: {
    meaning:
      "The service, the token endpoint or the store cannot be reached, is out of order (502, 503), or broke off its response.",
    sent: "See `outcome`. If the store is unavailable, changes and money calls are not sent.",
    action:
      "Run `fxdesk doctor`, which checks network, proxy, TLS and store. Try again later; for a change with the outcome `unknown`, look first whether it was carried out.",
  },
  service_error: {
    meaning: "The service failed (another status from 500).",
    sent: "The request was sent. A change may have been carried out.",
    action:
      "Look whether the change was carried out before you repeat it. Tell your provider the request ID (`requestId`).",
  },
  invalid_response: {
    meaning:
      "The response cannot be used: it violates the contract, is too large, is incomplete, or is a redirect.",
    sent: "The request was sent. A change may have been carried out.",
    action:
      "Check the addresses of the connection. `fxdesk call contract.check` shows where the service differs from its contract.",
  },
  outcome_unknown: {
    meaning:
      "A money call was sent, and no response says whether it was carried out. fxdesk looks for it in the background.",
    sent: "The request was sent, and may have been carried out.",
    action:
      "Do not repeat it with a new key. Run `fxdesk journal recover`, then look at the service. The [journal](journal.md#recover-lost-responses) keeps the key until the outcome is known.",
  },
  release_needed: {
    meaning: "The policy requires that a person releases the call first. `release` is the ID of the request.",
    sent: "Nothing was sent. The request is stored and waits.",
    action:
      "A person looks at it with `fxdesk releases show <release>` and decides. Afterwards, repeat the same call to get its response.",
  },
  release_refused: {
    meaning:
      "A person or the policy refused the call, for example because of a limit or because the policy cannot be read.",
    sent: notSent,
    action: "Read the reason in the message. Correct the request or the [policy](releases.md#the-policy).",
  },
  halted: {
    meaning: "A halt stops all changes and money calls.",
    sent: notSent,
    action: "`fxdesk resume` ends the halt. Its reason is in the message.",
  },
  store_restored: {
    meaning:
      "The store is older than the calls that this machine has sent: it was restored from a backup, and no person has confirmed it.",
    sent: notSent,
    action:
      "Compare the payments since the backup with the service, then run `fxdesk store confirm`. See [Restore the store](store.md#restore-the-store).",
  },
  interceptor: {
    meaning: "An interceptor of your own refused the call, or failed.",
    sent: "See `outcome`: nothing was sent if the interceptor stopped the call before it was passed on.",
    action: "Read the cause in the message; see [Interceptors](client.md#interceptors).",
  },
  file: {
    meaning: "A received file could not be written.",
    sent: "The request was sent, and the service answered.",
    action: "Check the path, its permissions and the free space, and call again.",
  },
  aborted: {
    meaning:
      "The caller stopped the call: by a signal, Ctrl-C, a deploy in Node-RED, or by closing the client.",
    sent: "See `outcome`. If it is `unknown`, a change may have been carried out.",
    action: "Repeat a read. For a change, look first whether it was carried out.",
  },
  unexpected: {
    meaning: "fxdesk or a program around it failed.",
    sent: "See `outcome`.",
    action: "Report it with the message and the cause, without credentials and account numbers.",
  },
};

/** Classes that `createError` does not construct. */
const classNames: Partial<Record<ErrorCode, string>> = { release_needed: "ReleaseNeeded" };

function section(code: ErrorCode): string {
  const { meaning, sent, action } = descriptions[code];
  const error = createError("", code, "not-sent", "");
  const className = classNames[code] ?? error.name;
  return `## ${code}

${meaning}

- **Was anything sent?** ${sent}
- **What to do:** ${action}
- Class \`${className}\`, exit code ${exitCodeOf(error)}.
`;
}

/** Returns the page as text. */
export const errorsPage = (): string => `# Errors

Every failed call is an \`FxdeskError\`. For each \`code\`, this page says what it means, whether anything was sent, and what to
do.

| Surface        | The code                                                                     |
| -------------- | ---------------------------------------------------------------------------- |
| Node-RED       | \`msg.error.code\` of a Catch node                                           |
| AI assistants  | not shown: the result says in sentences what failed, was sent, and comes next |
| Command line   | \`code\`, with \`--json\`                                                    |
| Code           | \`error.code\`, or the class                                                 |

Codes keep their meaning, and new ones may be added; messages may change. If you know only the message, see
[Troubleshooting](troubleshooting.md). For the other properties, see [Client](client.md#errors).

The **outcome** of an error is \`not-sent\` if no byte of the request was written, \`rejected\` if the service refused it with a
status that rules out that it was carried out, and otherwise \`unknown\`.

${Object.keys(descriptions)
  .map((code) => section(code as ErrorCode))
  .join("\n")}`;
