import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { checkout } from '../helpers/programs';
import { type TemporaryFolder, temporaryFolder } from '../helpers/temporary-folder';

/** A process that a bench started. */
export interface StartedProcess {
  child: ChildProcess;
  /** Kills it, since its database is not used again. */
  stop(): Promise<void>;
  /** Returns what it wrote to stderr. */
  readLog(): string;
  /** Returns the last lines of that, for error messages. */
  readLogTail(): string;
}

/** The folders and the processes of the benches. Closing it deletes the folders and kills the processes. */
export class BenchEnvironment {
  readonly #folder: TemporaryFolder;
  /** A folder for compiled programs. */
  readonly #programs: string;
  readonly #compiled = new Map<string, string>();
  /** Folders for compiled programs in other checkouts. */
  readonly #others = new Map<string, Promise<string>>();
  readonly #children = new Set<ChildProcess>();
  readonly #cleanups: (() => Promise<void>)[] = [];
  #files = 0;
  #closed = false;

  private constructor(folder: TemporaryFolder, programs: string) {
    this.#folder = folder;
    this.#programs = programs;
  }

  /** Creates an environment. Close it at the end, and when interrupted. */
  static async open(): Promise<BenchEnvironment> {
    // Within `test/`, so that the packages of this checkout resolve.
    const programs = await mkdtemp(join(checkout, 'test/.bench-'));
    return new BenchEnvironment(await temporaryFolder(), programs);
  }

  /** Compiles a program, once: a loader would do it at each start. Returns the file to run. */
  compile(program: URL): string {
    return this.#compile(program, this.#programs);
  }

  /** Likewise, but the program uses the packages of another checkout. */
  async compileFor(program: URL, otherCheckout: string): Promise<string> {
    const known = this.#others.get(otherCheckout);
    const folder = known ?? mkdtemp(join(otherCheckout, 'test/.bench-'));
    this.#others.set(otherCheckout, folder);
    return this.#compile(program, await folder);
  }

  #compile(program: URL, folder: string): string {
    const path = fileURLToPath(program);
    const outfile = join(folder, `${basename(path, '.ts')}.mjs`);
    const known = this.#compiled.get(outfile);
    if (known !== undefined) return known;
    buildSync({
      entryPoints: [path],
      outfile,
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      target: 'node20',
      sourcemap: 'inline',
    });
    this.#compiled.set(outfile, outfile);
    return outfile;
  }

  /** Returns an unused path in the folder, such as `…/7-tradepost.db`. */
  newFile(name: string): string {
    this.#files += 1;
    return join(this.#folder.path, `${this.#files}-${name}`);
  }

  /**
   * Starts Node on a file. Its stderr goes to a file, as with a service manager, so that reading it slows nothing.
   *
   * @param stdio The modes of stdin, stdout, and the descriptors after stderr.
   * @param env Its environment. Defaults to this process's.
   */
  start(
    args: readonly string[],
    [stdin, stdout, ...more]: ('ignore' | 'pipe' | 'ipc')[],
    env: NodeJS.ProcessEnv = process.env,
  ): StartedProcess {
    if (this.#closed) throw new Error('The bench environment is closed.');
    const log = this.newFile('stderr.log');
    const stderr = openSync(log, 'w');
    const stdio = [stdin, stdout, stderr, ...more] as SpawnOptions['stdio'];
    const child = spawn(process.execPath, args, { cwd: checkout, env, stdio });
    closeSync(stderr);
    this.#children.add(child);
    const ended = once(child, 'close').then(() => this.#children.delete(child));
    const readLog = () => readFileSync(log, 'utf8');
    return {
      child,
      async stop() {
        child.kill('SIGKILL');
        await ended;
      },
      readLog,
      readLogTail: () => readLog().trimEnd().split('\n').slice(-8).join('\n'),
    };
  }

  /** Adds something to do before the folders are deleted, after the processes have ended. */
  addCleanup(cleanup: () => Promise<void>): void {
    this.#cleanups.push(cleanup);
  }

  /** Kills every process that still runs, does the cleanups, and deletes the folders. */
  async close(): Promise<void> {
    this.#closed = true;
    const ends = [...this.#children].map((child) => once(child, 'close'));
    for (const child of this.#children) child.kill('SIGKILL');
    await Promise.all(ends);
    await Promise.all(this.#cleanups.map((cleanup) => cleanup()));
    const programs = [this.#programs, ...(await Promise.all(this.#others.values()))];
    await Promise.all([
      this.#folder.remove(),
      ...programs.map((folder) => rm(folder, { recursive: true, force: true })),
    ]);
  }
}
