import { onTestFinished } from 'vitest';
import { startHttpServer } from '../../../../../test/helpers/loopback';
import { exampleSecret, type ProbeOptions, probeReceiver } from '../../../src/testing/index';
import type { Memory } from './receivers';

export type Listener = Parameters<typeof startHttpServer>[0];

export const probeAt = (url: string, options: Partial<ProbeOptions> = {}) =>
  probeReceiver({ url: `${url}/webhooks`, secret: exampleSecret, ...options });

/** Probes a receiver that is started for it. */
export async function probe(listener: Listener, options: Partial<ProbeOptions> = {}) {
  const server = await startHttpServer(listener);
  onTestFinished(server.close);
  return await probeAt(server.url, options);
}

export const newMemory = (): Memory => ({ handled: 0, seen: new Set() });

/** Causes that sound receivers have, too: they are notes. */
export const harmless = ['busy', 'lenient', 'replays'];
