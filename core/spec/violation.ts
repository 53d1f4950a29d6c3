/** An invalid value. */
export interface Violation {
  /** Field name, with the path inside objects and arrays: `payments.0.creditorName`. */
  readonly field: string;
  /** The requirement, as the rest of a sentence that starts with the field: `must be at least 1`. */
  readonly message: string;
  /** Set for rules over several fields, whose `message` is a whole sentence. */
  readonly rule?: true;
}

const sentence = ({ field, message, rule }: Violation) =>
  (rule || !field ? message : `${field} ${message}`).replace(/\.?$/, ".");

/** Formats violations for people, one sentence each. */
export const describeViolations = (found: readonly Violation[]): string => found.map(sentence).join(" ");
