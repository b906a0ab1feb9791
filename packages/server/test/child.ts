import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { Inbox } from './inbox';

/** Another process that runs a TypeScript file of these tests: it says lines on stdout and is told lines on stdin. */
export class Child {
  readonly #process: ChildProcess;
  readonly #lines = new Inbox<string>();
  readonly #reader: Interface;
  readonly #ended: Promise<unknown[]>;
  #complaints = '';

  /**
   * Starts one, which ends with the running test at the latest.
   *
   * @param file The file to run, as a URL.
   */
  constructor(file: URL, ...args: string[]) {
    this.#process = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(file), ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const { stdout, stderr } = this.#process;
    if (stdout === null || stderr === null) throw new Error('the child has no pipes');
    this.#reader = createInterface(stdout).on('line', (line) => this.#lines.put(line));
    stderr.on('data', (chunk) => {
      this.#complaints += chunk;
    });
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

  /** Tells it a line. */
  tell(line: string): void {
    this.#process.stdin?.write(`${line}\n`);
  }

  /** Ends it as a crash would: it gets no chance to tidy up. */
  async crash(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#ended;
  }
}
