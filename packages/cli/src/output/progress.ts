import { clearLine, cursorTo } from 'node:readline';
import type { CliContext, OutputStream } from '../context';
import { activeLiveLines } from './print';
import { cellWidth, escapeControlChars, formatDuration, getStyle, shorten } from './text';

/** Creates a line at the end of a terminal that is redrawn. A notice erases it first. */
export function createLiveLine(stream: OutputStream) {
  function clear(): void {
    if (activeLiveLines.get(stream) !== clear) return;
    activeLiveLines.delete(stream);
    cursorTo(stream, 0);
    clearLine(stream, 0);
  }

  return {
    /** Returns how many cells a text may have: a wrapped line cannot be erased. */
    room: () => Math.max(1, (stream.columns || 80) - 1),
    draw(text: string): void {
      clear();
      stream.write(text);
      activeLiveLines.set(stream, clear);
    },
    clear,
  };
}

/** Fits a text into a line that is redrawn: its end is cut off. */
export function fitLine(text: string, cells: number): string {
  return shorten(escapeControlChars(text), cells, 0);
}

const redrawIntervalMs = 80;

/** The line shows seconds, also while nothing happens. */
const tickMs = 1_000;

/** Silence of the service for longer than this is shown, in milliseconds. */
const silenceMs = 3_000;

const barWidth = 24;

export interface Progress {
  /** @param count how many items it is about. @default 1 */
  step(result: 'done' | 'failed', count?: number): void;
  /**
   * Shows a text in place of the bar, such as a countdown, until it is called with null. While the text is
   * null, the line is empty.
   */
  hold(text: (() => string | null) | null): void;
  end(): void;
}

/**
 * Shows a line on stderr with a bar, the failures, the rate and the remaining time. Without a terminal it
 * shows nothing.
 *
 * @param total null shows only what `hold` sets
 */
export function createProgress(total: number | null, context: CliContext): Progress {
  const { stderr } = context;
  if (stderr.isTTY !== true) return { step: () => {}, hold: () => {}, end: () => {} };
  const style = getStyle(stderr);
  const line = createLiveLine(stderr);
  let held: (() => string | null) | null = null;
  let done = 0;
  let failed = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let lastStepAt = context.elapsed();
  /** The rate is measured since the start, or since the last outage. */
  let measured = { since: lastStepAt, done: 0 };
  const timer = setInterval(draw, tickMs);
  timer.unref();

  function formatBar(all: number, now: number): string[] {
    const cells = Math.min(barWidth, line.room());
    const filled = Math.floor((done / Math.max(all, done)) * cells);
    const silence = now - lastStepAt;
    const perSecond = ((done - measured.done) / Math.max(1, now - measured.since)) * 1_000;
    return [
      `${'█'.repeat(filled)}${'░'.repeat(cells - filled)}`,
      `${done}/${all}`,
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(silence > silenceMs || perSecond === 0
        ? [`no response for ${formatDuration(Math.max(0, silence) / 1_000)}`]
        : [
            `${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`,
            `${formatDuration(Math.max(0, all - done) / perSecond)} left`,
          ]),
    ];
  }

  function draw(): void {
    const room = line.room();
    if (held !== null) {
      const text = held();
      if (text === null) line.clear();
      else line.draw(fitLine(text, room));
      return;
    }
    const now = context.elapsed();
    if (total === null || (done === 0 && now - lastStepAt <= silenceMs)) return;
    const parts = formatBar(total, now);
    while (cellWidth(parts.join('  ')) > room && parts.length > 1) parts.pop();
    line.draw(
      parts.map((part) => (part.endsWith('failed') ? style('red', part) : part)).join('  '),
    );
    drawnAt = now;
  }

  return {
    step(result, count = 1) {
      done += count;
      if (result === 'failed') failed += 1;
      lastStepAt = context.elapsed();
      if (lastStepAt - drawnAt < redrawIntervalMs && done !== total) return;
      if (held === null) draw();
    },
    hold(text) {
      held = text;
      if (text !== null) return draw();
      lastStepAt = context.elapsed();
      measured = { since: lastStepAt, done };
      line.clear();
    },
    end() {
      clearInterval(timer);
      line.clear();
    },
  };
}
