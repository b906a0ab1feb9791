import type { Terminal } from '../terminal';
import { cellWidth } from './cell-width';
import { liveLine } from './live-line';
import { styleOf } from './style';

/** Of many things, how far the work has come. */
export interface Progress {
  /** One more is done. */
  step(kind: 'done' | 'failed'): void;
  /** Takes the line away: something else is written, or all is done. */
  clear(): void;
}

/** Redrawn at most so often, in milliseconds: faster is only flicker. */
const interval = 80;
const barWidth = 24;

/** Seconds as people read them. */
function spanText(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

/**
 * A line on stderr with a bar, what failed, the pace and the time that is left. Where stderr is no
 * terminal there is none.
 */
export function progressOf(total: number, terminal: Terminal): Progress {
  const { stderr } = terminal;
  if (stderr.isTTY !== true) return { step: () => {}, clear: () => {} };
  const style = styleOf(stderr);
  const line = liveLine(stderr);
  const startedAt = terminal.elapsed();
  let done = 0;
  let failed = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;

  function draw(now: number): void {
    const room = line.room();
    const cells = Math.min(barWidth, room);
    const filled = Math.floor((done / Math.max(total, done)) * cells);
    const pace = (done / Math.max(1, now - startedAt)) * 1000;
    const parts = [
      `${'█'.repeat(filled)}${'░'.repeat(cells - filled)}`,
      `${done}/${total}`,
      ...(failed > 0 ? [`${failed} failed`] : []),
      `${pace.toFixed(pace < 10 ? 1 : 0)}/s`,
      `${spanText(Math.max(0, total - done) / pace)} left`,
    ];
    while (cellWidth(parts.join('  ')) > room && parts.length > 1) parts.pop();
    line.draw(
      parts.map((part) => (part.endsWith('failed') ? style('red', part) : part)).join('  '),
    );
    drawnAt = now;
  }

  return {
    step(kind) {
      done += 1;
      if (kind === 'failed') failed += 1;
      const now = terminal.elapsed();
      if (now - drawnAt >= interval || done === total) draw(now);
    },
    clear: line.clear,
  };
}
