/** A file as the sandbox keeps it. */
export interface StoredFile {
  readonly contentType: string;
  readonly fileName: string;
  readonly bytes: Buffer;
}
