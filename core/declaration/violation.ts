/** What is wrong with a value. */

/** One thing wrong with the values: where, and what would be right. */
export interface Violation {
  /** The field, with the path inside it where it is an object or an array: `payments.0.creditorName`. */
  readonly field: string;
  readonly message: string;
  /** Set where it is a rule over several fields: `message` is a sentence and names them itself. */
  readonly rule?: true;
}

const sentence = ({ field, message, rule }: Violation) =>
  (rule || !field ? message : `${field} ${message}`).replace(/\.?$/, ".");

/** What is wrong, for a person to read: a sentence for each violation. */
export const describeViolations = (found: readonly Violation[]): string => found.map(sentence).join(" ");
