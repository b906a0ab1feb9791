/** Numbers that a part of the server has of itself. */
export interface Metrics {
  /** All of them as they are now, in the text format of Prometheus 0.0.4. */
  read(): Promise<string>;
}
