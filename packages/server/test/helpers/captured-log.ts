import { type Logger, pino } from 'pino';
import { Inbox } from './inbox';

/** One line of a log. */
export type LogLine = Record<string, unknown> & { msg: string };

/** A real log. A test can read its lines and wait for them. */
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

  /** Waits for the next unread line with this message. */
  next(message: string): Promise<LogLine> {
    return this.#inbox(message).next();
  }

  #inbox(message: string): Inbox<LogLine> {
    const inbox = this.#byMessage.get(message) ?? new Inbox<LogLine>();
    this.#byMessage.set(message, inbox);
    return inbox;
  }
}
