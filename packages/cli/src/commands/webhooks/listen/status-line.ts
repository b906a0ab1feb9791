import type { CliContext } from '../../../context';
import { printNotice } from '../../../output/print';
import { createLiveLine } from '../../../output/progress';
import { shorten } from '../../../output/table';
import { escapeControlChars } from '../../../output/text';

export type StatusLine = ReturnType<typeof createStatusLine>;

/** The least time between two notices without a terminal, in milliseconds. */
const noticeIntervalMs = 60_000;

/** The line shows seconds. */
const redrawIntervalMs = 1_000;

/**
 * Shows the last contact and the number of forwarded events: on a terminal in a line that is redrawn,
 * elsewhere in a notice per minute.
 */
export function createStatusLine(waitingFor: string, context: CliContext) {
  const { stderr } = context;
  const isLive = stderr.isTTY === true;
  let lastContact: number | null = null;
  let lastNotice = context.elapsed();
  let count = 0;
  const line = createLiveLine(stderr);
  const timer = isLive ? setInterval(draw, redrawIntervalMs) : undefined;
  timer?.unref();

  function format(): string {
    const contact =
      lastContact === null
        ? 'no contact yet'
        : `last contact ${Math.max(0, Math.round((context.elapsed() - lastContact) / 1_000))} s ago`;
    return escapeControlChars(`${contact} · ${count} forwarded · waiting for ${waitingFor}`);
  }

  function draw(): void {
    if (isLive) line.draw(shorten(format(), line.room()));
  }

  return {
    contact(): void {
      lastContact = context.elapsed();
      draw();
      if (isLive || lastContact - lastNotice < noticeIntervalMs) return;
      lastNotice = lastContact;
      printNotice(context, `${new Date(context.now()).toISOString()}: ${format()}`);
    },
    forwarded(): void {
      count += 1;
      draw();
    },
    say(text: string): void {
      printNotice(context, text);
      draw();
    },
    /** Erases the line while something else is written to the terminal. */
    async aside<Result>(write: () => Promise<Result>): Promise<Result> {
      line.clear();
      const result = await write();
      draw();
      return result;
    },
    end(): void {
      clearInterval(timer);
      line.clear();
    },
  };
}
