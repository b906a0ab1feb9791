import { Writable } from 'node:stream';
import type { OutputStream } from '../../src/context';

/** A stream that keeps what is written to it, and can pose as a terminal. */
export class FakeStream extends Writable implements OutputStream {
  text = '';
  readonly isTTY: boolean;
  readonly columns?: number;
  readonly #colours: boolean;

  /** @param screen a terminal's width and colours; without it the stream is a pipe */
  constructor(screen?: { columns: number; colours?: boolean }) {
    super({ decodeStrings: false });
    this.isTTY = screen !== undefined;
    this.#colours = screen?.colours ?? false;
    if (screen) this.columns = screen.columns;
  }

  /** What `node:util` asks a terminal before it colours text. */
  getColorDepth(): number {
    return this.#colours ? 24 : 1;
  }

  override _write(text: string, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.text += text;
    done();
  }
}

/** A stream that takes nothing: every write fails with the code. */
export function brokenStream(code: string): OutputStream {
  const stream = new Writable({
    write: (_text, _encoding, done) => done(Object.assign(new Error(`write ${code}`), { code })),
  });
  stream.on('error', () => {});
  return stream;
}
