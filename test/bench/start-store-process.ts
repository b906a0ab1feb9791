import type { Workplace } from './bench-environment';
import { type OwnProcess, startOwnProcess } from './own-process';
import type { StoreVerbs } from './store-process';

/** Starts a process that works on stores and does nothing else. */
export function startStoreProcess(place: Workplace): OwnProcess<StoreVerbs> {
  return startOwnProcess<StoreVerbs>(place, new URL('./store-process.ts', import.meta.url));
}
