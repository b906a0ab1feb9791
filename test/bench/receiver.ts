import type { BenchEnvironment } from './bench-environment';
import { type BenchProcess, startBenchProcess } from './bench-process';
import type { ReceiverOperations } from './receiver-process';

/** Endpoints in a separate process. */
export interface Receiver extends BenchProcess<ReceiverOperations> {
  urls: string[];
}

/** Starts a receiver with some endpoints, each on its own port. By default they respond with 204. */
export async function startReceiver(
  environment: BenchEnvironment,
  endpoints: number,
): Promise<Receiver> {
  const file = new URL('./receiver-process.ts', import.meta.url);
  const receiver = startBenchProcess<ReceiverOperations>(environment, file);
  return { ...receiver, urls: await receiver.call('listen', endpoints) };
}
