import { clearLine, cursorTo } from 'node:readline';
import type { CliContext, OutputStream } from '../context';
import { activeLiveLines } from './print';
import { cellWidth } from './table';
import { getStyle } from './text';

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

/** The least time between two redraws, in milliseconds. */
const redrawIntervalMs = 80;
const barWidth = 24;

function formatDuration(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

/**
 * Shows a line on stderr with a bar, the failures, the rate and the remaining time. Without a terminal it
 * shows nothing.
 */
export function createProgress(
  total: number,
  context: CliContext,
): { step: (result: 'done' | 'failed') => void; clear: () => void } {
  const { stderr } = context;
  if (stderr.isTTY !== true) return { step: () => {}, clear: () => {} };
  const style = getStyle(stderr);
  const line = createLiveLine(stderr);
  const startedAt = context.elapsed();
  let done = 0;
  let failed = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;

  function draw(now: number): void {
    const room = line.room();
    const cells = Math.min(barWidth, room);
    const filled = Math.floor((done / Math.max(total, done)) * cells);
    const perSecond = (done / Math.max(1, now - startedAt)) * 1000;
    const parts = [
      `${'█'.repeat(filled)}${'░'.repeat(cells - filled)}`,
      `${done}/${total}`,
      ...(failed > 0 ? [`${failed} failed`] : []),
      `${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`,
      `${formatDuration(Math.max(0, total - done) / perSecond)} left`,
    ];
    while (cellWidth(parts.join('  ')) > room && parts.length > 1) parts.pop();
    line.draw(
      parts.map((part) => (part.endsWith('failed') ? style('red', part) : part)).join('  '),
    );
    drawnAt = now;
  }

  return {
    step(result) {
      done += 1;
      if (result === 'failed') failed += 1;
      const now = context.elapsed();
      if (now - drawnAt >= redrawIntervalMs || done === total) draw(now);
    },
    clear: line.clear,
  };
}
