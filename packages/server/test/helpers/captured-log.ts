import { type Logger, pino } from 'pino';
import { Inbox } from './inbox';

/** One line of a log. */
export type LogLine = Record<string, unknown> & { msg: string };

/** A real log whose lines a test reads and waits for. */
export class CapturedLog {
  readonly log: Logger;
  /** Every line, as it was written. */
  readonly text: string[] = [];
  readonly #byMessage = new Map<string, Inbox<LogLine>>();

  constructor() {
    this.log = pino(
      { level: 'debug', base: null },
      {
        write: (text: string) => {
          this.text.push(text);
          const line = JSON.parse(text) as LogLine;
          this.#inbox(line.msg).put(line);
        },
      },
    );
  }

  /** The next line with this message that was not read yet, once it is written. */
  next(message: string): Promise<LogLine> {
    return this.#inbox(message).next();
  }

  #inbox(message: string): Inbox<LogLine> {
    const inbox = this.#byMessage.get(message) ?? new Inbox<LogLine>();
    this.#byMessage.set(message, inbox);
    return inbox;
  }
}
