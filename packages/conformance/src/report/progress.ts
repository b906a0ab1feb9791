import { clearLine, cursorTo } from 'node:readline';
import { formatSpan, onOneLine } from './messages';

export interface Progress {
  /** Names what the run does now: `Waiting for retries`. */
  phase(name: string): void;
  /** Erases the line for good. It may be called twice, and in a handler of SIGINT. */
  end(): void;
}

/** The line shows seconds, also while nothing happens. */
const tickMs = 1_000;

/**
 * Shows one line on a terminal that is redrawn: seconds and phase. It shows nothing on a pipe. The cursor stays visible, so nothing is
 * to be restored after Ctrl-C.
 */
export function createProgress(stream: NodeJS.WriteStream): Progress {
  if (stream.isTTY !== true) return { phase() {}, end() {} };
  const startedAt = performance.now();
  // Null once the line is erased for good.
  let phase: string | null = 'Starting';

  function erase(): void {
    cursorTo(stream, 0);
    clearLine(stream, 0);
  }

  function draw(): void {
    if (phase === null) return;
    erase();
    const seconds = Math.floor((performance.now() - startedAt) / tickMs);
    const line = `${formatSpan(seconds * 1_000)}  ${onOneLine(phase)}`;
    // A line that wraps could not be erased.
    stream.write(line.slice(0, Math.max(1, (stream.columns || 80) - 1)));
  }

  const timer = setInterval(draw, tickMs).unref();
  return {
    phase(name) {
      if (phase !== null) phase = name;
      draw();
    },
    end() {
      if (phase !== null) erase();
      phase = null;
      clearInterval(timer);
    },
  };
}
