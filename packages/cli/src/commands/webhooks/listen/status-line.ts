import type { Connection } from '../../../client/follow';
import type { CliContext } from '../../../context';
import { printNotice } from '../../../output/print';
import { createProgress } from '../../../output/progress';

export type StatusLine = ReturnType<typeof createStatusLine>;

/** The least time between two notices without a terminal, in milliseconds. */
const noticeIntervalMs = 60_000;

/**
 * Shows the last contact, or what is wrong with the connection, and the number of forwarded events: on a
 * terminal in a line that is redrawn, elsewhere in a notice per minute.
 */
export function createStatusLine(
  waitingFor: string,
  connection: Pick<Connection, 'lastContact' | 'describeProblem'>,
  context: CliContext,
) {
  const progress = createProgress(null, context);
  let lastNotice = context.elapsed();
  let count = 0;
  let forwarding: string | null = null;

  function describeContact(): string {
    const contact = connection.lastContact();
    if (contact === null) return 'no contact yet';
    return `last contact ${Math.max(0, Math.round((context.elapsed() - contact) / 1_000))} s ago`;
  }

  function format(): string {
    const forwarded = `${count} forwarded`;
    // Nothing is requested meanwhile.
    if (forwarding !== null) return `${forwarded} · forwarding ${forwarding}`;
    const problem = connection.describeProblem();
    if (problem !== null) return `${problem} · ${forwarded}`;
    return `${describeContact()} · ${forwarded} · waiting for ${waitingFor}`;
  }

  const draw = () => progress.hold(format);

  return {
    draw,
    /** Reports that a page of events has arrived. */
    contact(): void {
      const now = context.elapsed();
      if (context.stderr.isTTY || now - lastNotice < noticeIntervalMs) return;
      lastNotice = now;
      printNotice(context, `${new Date(context.now()).toISOString()}: ${format()}`);
    },
    /** Reports that an event is sent to the receiver until it accepts it. */
    forwarding(name: string): void {
      forwarding = name;
      draw();
    },
    forwarded(): void {
      forwarding = null;
      count += 1;
      draw();
    },
    say(text: string): void {
      printNotice(context, text);
      draw();
    },
    /** Erases the line while something else is written to the terminal. */
    async aside<Result>(write: () => Promise<Result>): Promise<Result> {
      progress.hold(null);
      const result = await write();
      draw();
      return result;
    },
    end: progress.end,
  };
}
