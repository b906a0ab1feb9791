import { fileURLToPath } from 'node:url';
import type { BenchEnvironment } from './bench-environment';
import type { OperationReply, OperationRequest, Operations } from './serve-parent';

/** A separate process that runs operations. */
export interface BenchProcess<Known extends Operations> {
  pid: number;
  /** Runs an operation. Rejects if it fails, or if the process exits first. */
  call<Name extends keyof Known & string>(
    operation: Name,
    argument: Parameters<Known[Name]>[0],
  ): Promise<Awaited<ReturnType<Known[Name]>>>;
  /** Returns the last lines of its stderr. */
  readLogTail(): string;
  /** Kills the process. */
  stop(): Promise<void>;
}

/**
 * Starts a program of this folder that calls `serveParent` in a separate process.
 *
 * @param file The URL of its TypeScript file.
 */
export function startBenchProcess<Known extends Operations>(
  environment: BenchEnvironment,
  file: URL,
): BenchProcess<Known> {
  return runBenchProcess(environment, fileURLToPath(file), environment.compile(file));
}

/** Likewise, with the packages of another checkout. */
export async function startForOther<Known extends Operations>(
  environment: BenchEnvironment,
  file: URL,
  otherCheckout: string,
): Promise<BenchProcess<Known>> {
  const compiled = await environment.compileFor(file, otherCheckout);
  return runBenchProcess(environment, fileURLToPath(file), compiled);
}

function runBenchProcess<Known extends Operations>(
  environment: BenchEnvironment,
  path: string,
  compiled: string,
): BenchProcess<Known> {
  const { child, stop, readLogTail } = environment.start(
    ['--enable-source-maps', compiled],
    ['ignore', 'ignore', 'ipc'],
  );
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  let lastId = 0;

  child.on('message', ({ id, result, error }: OperationReply) => {
    const caller = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) caller?.resolve(result);
    else caller?.reject(new Error(`${path} failed: ${error}`));
  });
  child.on('close', (code, signal) => {
    const reason = new Error(`${path} exited with ${code ?? signal}.\n${readLogTail()}`);
    for (const { reject } of waiting.values()) reject(reason);
    waiting.clear();
  });

  return {
    pid: child.pid ?? 0,
    stop,
    readLogTail,
    call(operation, argument) {
      lastId += 1;
      const request: OperationRequest = { id: lastId, operation, argument };
      return new Promise((resolve, reject) => {
        waiting.set(request.id, { resolve: resolve as (result: unknown) => void, reject });
        child.send(request, (error) => {
          if (error) reject(error);
        });
      });
    },
  };
}
