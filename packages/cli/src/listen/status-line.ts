import { shorten } from '../output/cell';
import { harmless } from '../output/harmless';
import { liveLine } from '../output/live-line';
import { note } from '../output/note';
import type { Terminal } from '../terminal';

/** What tells the person at the keyboard how it goes. */
export interface StatusLine {
  /** The service has answered. */
  contact(): void;
  /** One more event was taken. */
  forwarded(): void;
  /** Says something else, on a line that stays. */
  say(text: string): void;
  /** Takes the line away for what is written elsewhere on the screen. */
  aside<Result>(write: () => Promise<Result>): Promise<Result>;
  /** Ends it. */
  end(): void;
}

/** Where it cannot be rewritten it is said at most so often, in milliseconds. */
const noteInterval = 60_000;

/** How often it is rewritten, in milliseconds: it counts seconds. */
const redrawInterval = 1_000;

/**
 * Shows the last contact, how many events were forwarded and what is waited for: on a terminal on one
 * line that is rewritten, elsewhere in a note a minute at most.
 */
export function statusLine(waitingFor: string, terminal: Terminal): StatusLine {
  const { stderr } = terminal;
  const isLive = stderr.isTTY === true;
  let lastContact: number | null = null;
  let lastNote = terminal.elapsed();
  let count = 0;
  const line = liveLine(stderr);
  const timer = isLive ? setInterval(draw, redrawInterval) : undefined;
  timer?.unref();

  function text(): string {
    const contact =
      lastContact === null
        ? 'no contact yet'
        : `last contact ${Math.max(0, Math.round((terminal.elapsed() - lastContact) / 1_000))} s ago`;
    return harmless(`${contact} · ${count} forwarded · waiting for ${waitingFor}`);
  }

  function draw(): void {
    if (isLive) line.draw(shorten(text(), line.room()));
  }

  return {
    contact() {
      lastContact = terminal.elapsed();
      draw();
      if (isLive || lastContact - lastNote < noteInterval) return;
      lastNote = lastContact;
      note(terminal, `${new Date(lastContact).toISOString()}: ${text()}`);
    },
    forwarded() {
      count += 1;
      draw();
    },
    say(what) {
      note(terminal, what);
      draw();
    },
    async aside(write) {
      line.clear();
      const result = await write();
      draw();
      return result;
    },
    end() {
      clearInterval(timer);
      line.clear();
    },
  };
}
