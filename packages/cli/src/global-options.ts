/** The forms that data can be printed in. */
export const outputFormats = ['table', 'json', 'ndjson', 'csv'] as const;

/** One form that data can be printed in. */
export type OutputFormat = (typeof outputFormats)[number];

/** The options that every command takes, before or after its own. */
export interface GlobalOptions {
  /** How data is printed on stdout. */
  output: OutputFormat;
  /** Where the service is; the environment is asked when it is not there. */
  baseUrl?: string;
}
