import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { Inbox } from './inbox';

/** A program whose stderr `Child` does not read. */
export interface ChildOptions {
  /** The file to run. */
  file: URL;
  /** A file descriptor for its stderr; or `unread`, a socket that the test may read later. */
  stderr: number | 'unread';
}

/**
 * A process that runs a file of these tests, in TypeScript or as a module. It writes lines to stdout and reads
 * lines from stdin.
 */
export class Child {
  readonly #process: ChildProcess;
  readonly #lines = new Inbox<string>();
  readonly #reader: Interface;
  readonly #ended: Promise<unknown[]>;
  #stderr = '';

  /**
   * Starts a process, which ends with the running test at the latest.
   *
   * @param program The file to run, as a URL or with options for its stderr.
   */
  constructor(program: URL | ChildOptions, ...args: string[]) {
    const { file, stderr } = 'file' in program ? program : { file: program, stderr: 'read' };
    const path = fileURLToPath(file);
    const loader = path.endsWith('.ts') ? ['--import', 'tsx', '--conditions=tradepost:source'] : [];
    this.#process = spawn(process.execPath, [...loader, path, ...args], {
      stdio: ['pipe', 'pipe', typeof stderr === 'number' ? stderr : 'pipe'],
    });
    const { stdout } = this.#process;
    if (stdout === null) throw new Error('the child has no pipes');
    this.#reader = createInterface(stdout).on('line', (line) => this.#lines.put(line));
    if (stderr === 'read') {
      this.#process.stderr?.on('data', (chunk) => {
        this.#stderr += chunk;
      });
    }
    this.#ended = once(this.#process, 'close');
    onTestFinished(async () => {
      this.#process.kill('SIGKILL');
      await this.#ended;
      this.#reader.close();
    });
  }

  /** Waits for the next line of stdout. Rejects when the process ends instead. */
  async readLine(): Promise<string> {
    const ended = this.#ended.then(() => {
      throw new Error(`the child ended: ${this.#stderr}`);
    });
    return Promise.race([this.#lines.next(), ended]);
  }

  /** Writes a line to its stdin. */
  write(line: string): void {
    this.#process.stdin?.write(`${line}\n`);
  }

  /** Its stderr, for a child that was started with `unread`. */
  get stderr(): Readable {
    const { stderr } = this.#process;
    if (stderr === null) throw new Error('the stderr of the child goes elsewhere');
    return stderr;
  }

  /** Closes its stdin and waits until it ends by itself. Returns its exit code. */
  async finish(): Promise<number | null> {
    this.#process.stdin?.end();
    const [code] = (await this.#ended) as [number | null];
    return code;
  }

  /** Sends it a signal, such as SIGSTOP, after which it runs no further but keeps its files and locks. */
  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Ends it at once, as a crash would. */
  async crash(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#ended;
  }
}
