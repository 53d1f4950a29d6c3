/** What a document says, before it is written in one of the formats. */
export interface Column {
  readonly name: string;
  /** A text that somebody else may have written. */
  readonly text?: true;
  /** How it is printed; columns without are only for machines. */
  readonly print?: { readonly title: string; readonly width: number; readonly right?: true };
}

export interface Report {
  readonly title: string;
  readonly fileName: string;
  /** The lines above the table. */
  readonly facts: readonly string[];
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  readonly writtenAt: Date;
}
