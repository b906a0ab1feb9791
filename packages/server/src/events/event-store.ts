/** An event in an account's log. */
export interface LoggedEvent {
  /** Its place in the log: what was committed later stands later, and nothing before its `firstPlace`. */
  seq: number;
  /** `evt_<id>`. */
  id: string;
  /** The envelope as JSON. */
  body: string;
  /** When it happened, in milliseconds since 1970: by a clock that may have been behind others. */
  createdAt: number;
}

/** Where the log of events is kept. It is written by the changes that the events tell of. */
export interface EventStore {
  /**
   * The events that an account may see after a place in its log, oldest first, `limit` at most. What is
   * committed later stands later, whoever writes it: a reader that goes on from the last one it got misses
   * none. One range of one index: it costs no more than the page.
   */
  readEvents(accountId: string, after: number, limit: number): Promise<LoggedEvent[]>;
}
