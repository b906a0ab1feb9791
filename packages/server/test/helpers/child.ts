import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { Inbox } from './inbox';

/** A child whose stderr is not read by the class. */
export interface UnreadChild {
  /** The file to run. */
  file: URL;
  /** A file descriptor for its stderr; or `unread`, a socket that the test may read later. */
  stderr: number | 'unread';
}

/** Another process that runs a TypeScript file of these tests: it says lines on stdout and reads lines on stdin. */
export class Child {
  readonly #process: ChildProcess;
  readonly #lines = new Inbox<string>();
  readonly #reader: Interface;
  readonly #ended: Promise<unknown[]>;
  #complaints = '';

  /**
   * Starts one, which ends with the running test at the latest.
   *
   * @param program The file to run, as a URL, or with what is to become of its stderr.
   */
  constructor(program: URL | UnreadChild, ...args: string[]) {
    const { file, stderr } = 'file' in program ? program : { file: program, stderr: 'read' };
    this.#process = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(file), ...args], {
      stdio: ['pipe', 'pipe', typeof stderr === 'number' ? stderr : 'pipe'],
    });
    const { stdout } = this.#process;
    if (stdout === null) throw new Error('the child has no pipes');
    this.#reader = createInterface(stdout).on('line', (line) => this.#lines.put(line));
    if (stderr === 'read') {
      this.#process.stderr?.on('data', (chunk) => {
        this.#complaints += chunk;
      });
    }
    this.#ended = once(this.#process, 'close');
    onTestFinished(async () => {
      this.#process.kill('SIGKILL');
      await this.#ended;
      this.#reader.close();
    });
  }

  /** The next line that it says; rejects when it ends instead. */
  async says(): Promise<string> {
    const ended = this.#ended.then(() => {
      throw new Error(`the child ended: ${this.#complaints}`);
    });
    return Promise.race([this.#lines.next(), ended]);
  }

  /** Returns it a line. */
  tell(line: string): void {
    this.#process.stdin?.write(`${line}\n`);
  }

  /** What it writes to stderr, to be read from now on: for a child that was started with `unread`. */
  get stderr(): Readable {
    const { stderr } = this.#process;
    if (stderr === null) throw new Error('the stderr of the child goes elsewhere');
    return stderr;
  }

  /** Closes its stdin and waits until it has ended by itself. Returns its exit code. */
  async finish(): Promise<number | null> {
    this.#process.stdin?.end();
    const [code] = (await this.#ended) as [number | null];
    return code;
  }

  /** Ends it as a crash would: it gets no chance to tidy up. */
  async crash(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#ended;
  }
}
