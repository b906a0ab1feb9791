import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../helpers/programs';
import { type TemporaryFolder, temporaryFolder } from '../helpers/temporary-folder';

/** A process that a bench started. */
export interface Started {
  child: ChildProcess;
  /** Ends it at once, as a crash would: what it works on is thrown away. */
  stop(): Promise<void>;
  /** The last lines it wrote to stderr, for the message of an error. */
  lastWords(): string;
}

/** Where the benches work: a folder, and the processes they start. When it is closed nothing of both is left. */
export class Workplace {
  readonly #folder: TemporaryFolder;
  readonly #children = new Set<ChildProcess>();
  #files = 0;
  #closed = false;

  private constructor(folder: TemporaryFolder) {
    this.#folder = folder;
  }

  /** Opens one. Close it in the end, and when interrupted. */
  static async open(): Promise<Workplace> {
    return new Workplace(await temporaryFolder());
  }

  /** A path in the folder that nothing has yet, such as `…/7-tradepost.db`. */
  newFile(name: string): string {
    this.#files += 1;
    return join(this.#folder.path, `${this.#files}-${name}`);
  }

  /**
   * Starts Node on a file. Its stderr goes to a file, as a service manager would have it: nobody's work
   * is slowed by reading it.
   *
   * @param stdio What to do with stdin, stdout, and what follows stderr.
   * @param env Its environment; this one's unless told.
   */
  start(
    args: readonly string[],
    [stdin, stdout, ...more]: ('ignore' | 'pipe' | 'ipc')[],
    env: NodeJS.ProcessEnv = process.env,
  ): Started {
    if (this.#closed) throw new Error('The workplace is closed: nothing can be started any more.');
    const log = this.newFile('stderr.log');
    const stderr = openSync(log, 'w');
    const stdio = [stdin, stdout, stderr, ...more] as SpawnOptions['stdio'];
    const child = spawn(process.execPath, args, { cwd: checkout, env, stdio });
    closeSync(stderr);
    this.#children.add(child);
    const ended = once(child, 'close').then(() => this.#children.delete(child));
    return {
      child,
      async stop() {
        child.kill('SIGKILL');
        await ended;
      },
      lastWords: () => readFileSync(log, 'utf8').trimEnd().split('\n').slice(-8).join('\n'),
    };
  }

  /** Ends every process that still runs and removes the folder. */
  async close(): Promise<void> {
    this.#closed = true;
    const ends = [...this.#children].map((child) => once(child, 'close'));
    for (const child of this.#children) child.kill('SIGKILL');
    await Promise.all(ends);
    await this.#folder.remove();
  }
}
