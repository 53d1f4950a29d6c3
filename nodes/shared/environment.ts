/** Environment variables in form fields. */

/**
 * Returns the name of an unset variable. Node-RED replaces a field that is exactly `${NAME}` or `$(NAME)` with the value of
 * the variable, and leaves the text unchanged if the variable is not set.
 */
export const unresolvedVariable = (text: string): string | undefined =>
  /^\$\{([^}]+)\}$|^\$\(([^)]+)\)$/.exec(text)?.slice(1).find(Boolean);

export const variableNotSetMessage = (variable: string): string =>
  `the environment variable ${variable} is not set`;
