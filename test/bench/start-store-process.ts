import { type OwnProcess, startOwnProcess } from './own-process';
import type { StoreVerbs } from './store-process';
import type { Workplace } from './workplace';

/** Starts a process that works on stores and does nothing else. */
export function startStoreProcess(place: Workplace): OwnProcess<StoreVerbs> {
  return startOwnProcess<StoreVerbs>(place, new URL('./store-process.ts', import.meta.url));
}
