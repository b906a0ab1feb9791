import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  formatSimulation,
  type SimulationEnvironment,
  type SimulationResult,
  simulateDeliveries,
} from '@tradepost/sdk/testing';
import { type DedupeStore, webhookReceiver } from '@tradepost/sdk/webhooks';
import { transform } from 'esbuild';
import { expect, test } from 'vitest';
import { checkout } from '../../helpers/programs';
import { readRecipe } from './read-recipe';

/** Imports a file of a recipe as it is in the document. */
export async function importRecipe<Module>(title: string, file: string): Promise<Module> {
  const { code } = await transform(readRecipe(title)[file] ?? '', { loader: 'ts' });
  // Within `test`, from which the libraries resolve.
  const folder = await mkdtemp(join(checkout, 'test/.recipe-'));
  try {
    const path = join(folder, 'recipe.mjs');
    await writeFile(path, code);
    return await import(pathToFileURL(path).href);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Creates the store of an instance. The first call in a run gets an empty database. */
type CreateStore = (
  environment: SimulationEnvironment,
  leaseMs: number | undefined,
) => DedupeStore | Promise<DedupeStore>;

/** Sends deliveries to a receiver with the store. */
async function simulate(createStore: CreateStore, leaseMs?: number): Promise<SimulationResult> {
  return simulateDeliveries({
    async start(environment) {
      const receiver = webhookReceiver({
        secret: environment.secrets,
        now: environment.now,
        requireTimestamp: true,
        dedupe: await createStore(environment, leaseMs),
        onUnhandled: (_, { id }) => environment.effect(id),
        onVerificationError: () => undefined,
        onError: () => undefined,
      });
      return { receive: receiver.fetch };
    },
    realTime: true,
    runs: 20,
  });
}

/** Tests that a store of a recipe keeps a receiver right, whatever happens to its processes. */
export function describeSimulation(title: string, createStore: CreateStore): void {
  test(`a receiver with ${title} handles each event once, also after crashes`, async () => {
    const result = await simulate(createStore);
    expect(result.ok, formatSimulation(result)).toBe(true);
    expect(result).toMatchObject({ runs: 20, deliveries: 120 });
    // Between claim and complete too: what the crash interrupted was handled again.
    expect(result.crashes).toBeGreaterThan(5);
    expect(result.repeatedByCrash).toBeGreaterThan(0);
  });

  test(`a receiver with ${title} whose claims do not end never handles what a crash interrupted`, async () => {
    const { counterexample } = await simulate(createStore, 2 * 24 * 3_600_000);
    expect(counterexample).toMatchObject({ invariant: 'N3', cause: 'crash' });
  });
}
