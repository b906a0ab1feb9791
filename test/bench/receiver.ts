import type { Workplace } from './bench-environment';
import { type OwnProcess, startOwnProcess } from './own-process';
import type { ReceiverVerbs } from './receiver-process';

/** Endpoints in a process of their own. */
export interface Receiver extends OwnProcess<ReceiverVerbs> {
  urls: string[];
}

/** Starts a receiver with some endpoints, each on a port of its own. It answers 204 until told otherwise. */
export async function startReceiver(place: Workplace, endpoints: number): Promise<Receiver> {
  const file = new URL('./receiver-process.ts', import.meta.url);
  const receiver = startOwnProcess<ReceiverVerbs>(place, file);
  return { ...receiver, urls: await receiver.ask('listen', endpoints) };
}
