import { expect } from 'vitest';
import { settle } from './fake-clock';

function openSockets(): string[] {
  return process.getActiveResourcesInfo().filter((kind) => /^(TCP|TLS)/.test(kind));
}

/** Fails the test when sockets stay open that should be closed; they get a few turns to end in. */
export async function expectNoSockets(): Promise<void> {
  for (let turn = 0; turn < 50 && openSockets().length > 0; turn += 1) await settle();
  expect(openSockets()).toEqual([]);
}
