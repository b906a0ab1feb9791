import { clearLine, cursorTo } from 'node:readline';
import type { OutputStream } from '../terminal';

/** A line at the end of the screen that is written anew again and again. */
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
  let isDrawn = false;

  function clear(): void {
    if (!isDrawn) return;
    cursorTo(stream, 0);
    clearLine(stream, 0);
    isDrawn = false;
  }

  return {
    room: () => Math.max(1, (stream.columns || 80) - 1),
    draw(text) {
      clear();
      stream.write(text);
      isDrawn = true;
    },
    clear,
  };
}
