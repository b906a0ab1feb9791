import { type Profiler, Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

/** Whether a function of a script ran. */
function ranAFunction({ functions }: Profiler.ScriptCoverage): boolean {
  return functions.some(({ ranges: [whole] }) => whole !== undefined && whole.count > 0);
}

/** Finds the source files that take part in a flow: those in which a function runs. */
export class FileTrace {
  readonly #session: Session;

  private constructor(session: Session) {
    this.#session = session;
  }

  /** Starts tracing. */
  static async start(): Promise<FileTrace> {
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    return new FileTrace(session);
  }

  /** Lists the absolute paths of the files in which a function ran since the start or the previous call. */
  async take(): Promise<string[]> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    return result
      .filter((script) => script.url.startsWith('file:') && ranAFunction(script))
      .map(({ url }) => fileURLToPath(url).replaceAll('\\', '/'));
  }

  /** Stops tracing. */
  stop(): void {
    this.#session.disconnect();
  }
}
