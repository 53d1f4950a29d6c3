/** Environment variables in what a form holds. */

/**
 * The variable that was not there. Node-RED puts the value in place of `${NAME}` or `$(NAME)` when that is all a field
 * holds, and leaves the text as it is when there is no such variable.
 */
export const unresolvedVariable = (text: string): string | undefined =>
  /^\$\{([^}]+)\}$|^\$\(([^)]+)\)$/.exec(text)?.slice(1).find(Boolean);

export const variableNotSetMessage = (variable: string): string =>
  `the environment variable ${variable} is not set`;
