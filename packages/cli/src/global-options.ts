/** The forms that data can be printed in. */
export const outputFormats = ['table', 'json', 'ndjson', 'csv'] as const;

/** One form that data can be printed in. */
export type OutputFormat = (typeof outputFormats)[number];

/** What shapes the data that is printed. */
export interface OutputOptions {
  /** How data is printed on stdout. */
  output: OutputFormat;
  /** The fields to print, separated by commas; all unless told. */
  fields?: string;
  /** An expression of the jq language that the JSON goes through. */
  jq?: string;
}

/** What says which service to ask, and as whom. */
export interface ConnectionOptions {
  /** The name of the login to use. */
  profile?: string;
  /** Where the service is. */
  baseUrl?: string;
  /** The file that gets a record of requests and answers. */
  debug?: string;
}

/** The options that every command takes, before or after its own. */
export interface GlobalOptions extends OutputOptions, ConnectionOptions {}
