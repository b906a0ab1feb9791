import type { BenchEnvironment } from './bench-environment';
import { type BenchProcess, startBenchProcess } from './bench-process';
import type { StoreOperations } from './store-process';

/** Starts a process that uses stores and does nothing else. */
export function startStoreProcess(environment: BenchEnvironment): BenchProcess<StoreOperations> {
  return startBenchProcess<StoreOperations>(
    environment,
    new URL('./store-process.ts', import.meta.url),
  );
}
