export interface Mt940Options {
  /** Writes :86: as code words between slashes, which programs can parse, instead of plain text. Default: false. */
  readonly subTags?: boolean;
}
