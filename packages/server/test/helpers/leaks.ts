import { settle } from '@tradepost/domain/test/fake-clock';
import { expect } from 'vitest';

function openSockets(): string[] {
  return process.getActiveResourcesInfo().filter((kind) => /^(TCP|TLS)/.test(kind));
}

/** Expects that all sockets are closed. Waits a few turns for them to close. */
export async function expectNoSockets(): Promise<void> {
  for (let turn = 0; turn < 50 && openSockets().length > 0; turn += 1) await settle();
  expect(openSockets()).toEqual([]);
}
