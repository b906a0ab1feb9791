import type { StatusChange, StatusOutcome } from './status-change';

/** What a result file begins with: all that is needed to go on without the command that made it. */
export interface Plan extends StatusChange {
  /** Which service the orders are of. */
  baseUrl: string;
  /** The first characters of the key that it was begun with. */
  keyHint: string;
  /** The orders, each once, in the order that they are worked on. */
  ids: readonly string[];
}

/** A plan, and how far it has come. */
export interface Recorded {
  plan: Plan;
  /** What came of orders of the plan, by id: of each the last that was written down. */
  outcomes: ReadonlyMap<string, StatusOutcome>;
  /** Orders of the plan whose change was begun, and of which no end was written down. */
  inDoubt: ReadonlySet<string>;
}

/** A result file that is being written. */
export interface ResultFile {
  /** Where it is. */
  path: string;
  /** Writes down that an order's change is about to be sent. @throws {CliError} `file_failed` */
  begin(id: string): void;
  /** Writes down what came of an order. @throws {CliError} `file_failed` */
  end(outcome: StatusOutcome): void;
  /** Closes it once all that was written is on the disk. @throws {CliError} `file_failed` */
  close(): void;
}

/** What the first line of a result file says of itself, so that another file is not taken for one. */
export const planKind = 'tradepost orders set-status';
