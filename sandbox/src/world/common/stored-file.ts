/** A file with its content. */
export interface StoredFile {
  readonly contentType: string;
  readonly fileName: string;
  readonly bytes: Buffer;
}
