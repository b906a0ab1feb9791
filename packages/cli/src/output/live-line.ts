import { clearLine, cursorTo } from 'node:readline';
import type { OutputStream } from '../terminal';
import { drawnLines } from './drawn-lines';

/** A line at the end of the screen that is written anew again and again. A note takes it away first. */
export interface LiveLine {
  /** How many cells a text may have: one that is broken into two lines cannot be taken away again. */
  room(): number;
  /** Writes the line, instead of what it was. */
  draw(text: string): void;
  /** Takes it away, for what is written elsewhere or at the end. */
  clear(): void;
}

/** Makes one on a terminal. */
export function liveLine(stream: OutputStream): LiveLine {
  function clear(): void {
    if (drawnLines.get(stream) !== clear) return;
    drawnLines.delete(stream);
    cursorTo(stream, 0);
    clearLine(stream, 0);
  }

  return {
    room: () => Math.max(1, (stream.columns || 80) - 1),
    draw(text) {
      clear();
      stream.write(text);
      drawnLines.set(stream, clear);
    },
    clear,
  };
}
