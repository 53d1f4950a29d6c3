export interface Mt940Options {
  /** Write :86: as code words between slashes, which programs read field by field, instead of plain text. */
  readonly subTags?: boolean;
}
