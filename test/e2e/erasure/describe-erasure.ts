import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { isTradepostError } from '@tradepost/sdk';
import type { SeedResult } from '@tradepost/server';
import { expect, it } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { passTurns } from '../../helpers/pass-turns';
import { checkout, tradepostServerBin } from '../../helpers/programs';
import { SeededRandom } from '../../helpers/seeded-random';
import { startProcess } from '../../helpers/start-process';
import { ClientGroup } from '../chaos/kill-loop/client-group';
import { Market, toCompletion } from './market';

/** How many orders the account has that is erased: enough for several steps of each kind. */
const orderCount = 400;
/** Together they leave some steps to the last run. */
const kills = 3;
/** A kill comes so many turns of the event loop after a step began, at most. */
const maxTurns = 60;

/**
 * Tests how accounts are erased from a database that is in use.
 *
 * @param createDatabase Creates a seeded one, and returns its path or URL.
 */
export function describeErasure(
  createDatabase: () => Promise<{ database: string; seed: SeedResult }>,
): void {
  it('accounts are erased while others trade with them, and these lose nothing', async () => {
    const { database, seed } = await createDatabase();
    const market = await Market.open(database, seed);
    const { buyer, seller, agent, stranger } = market;
    const backlog = await market.placeMany(buyer, orderCount);
    await market.operate('suspend', buyer);
    const load = new ClientGroup();
    for (let count = 0; count < 2; count += 1) {
      load.add(async () => {
        const order = await market.place(stranger);
        for (const status of toCompletion) await market.move(seller, order, status);
      });
      load.add(async () => {
        const order = backlog.pop() ?? (await market.place(stranger));
        await market.move(seller, order, 'confirmed');
        await market.move(seller, order, 'cancelled');
      });
    }
    const erased = await market.operate('erase', buyer);
    await load.end();
    // Otherwise nothing was changed meanwhile, and the test proves nothing.
    expect(backlog.length).toBeLessThan(orderCount);
    expect(erased).toMatchObject({ webhooks: 1, apiKeys: 1 });
    for (const account of [seller, agent, stranger]) await market.expectComplete(account);

    await market.operate('suspend', seller);
    const rest = new ClientGroup();
    let cancelled = 0;
    for (let count = 0; count < 4; count += 1) {
      rest.add(async () => {
        try {
          await market.move(agent, await market.place(stranger), 'cancelled');
          cancelled += 1;
        } catch (error) {
          // The erasure takes the units that are left.
          if (!(isTradepostError(error) && error.code === 'insufficient_quantity')) throw error;
        }
      });
    }
    await market.operate('erase', seller);
    await rest.end();
    expect(cancelled).toBeGreaterThan(0);
    await market.expectSound();
    for (const account of [agent, stranger]) await market.expectComplete(account);

    // What the others did meanwhile.
    for (const account of [buyer, seller]) {
      await market.operate('erase', account);
      await market.expectErased(account);
    }
    await market.expectSound();
    expect(market.readErrors()).toEqual([]);
  }, 120_000);

  it('an erasure that is killed at random points is completed by the next one', async () => {
    const number = randomInt(1_000_000);
    console.log(`seed ${number}`);
    const random = new SeededRandom(String(number));
    const { database, seed } = await createDatabase();
    const market = await Market.open(database, seed);
    const { buyer, seller, agent } = market;
    await market.placeMany(buyer, orderCount);
    await market.operate('suspend', buyer);
    const preload = ['--import', join(checkout, 'test/helpers/report-pauses.mjs')];
    const command = ['accounts', 'erase', buyer.id, '--yes', '--database', database];
    for (let kill = 0; kill < kills; kill += 1) {
      const env = { PAUSES: String(1 + random.below(2)) };
      const eraser = forTest(
        startProcess(process.execPath, [...preload, tradepostServerBin, ...command], { env }),
        'SIGKILL',
      );
      await eraser.writes(/^paused$/m, 'stderr');
      await passTurns(random.below(maxTurns));
      expect(await eraser.stop('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
      await market.expectSound();
    }
    await market.operate('erase', buyer);
    await market.expectErased(buyer);
    await market.expectSound();
    for (const account of [seller, agent]) await market.expectComplete(account);
    expect(market.readErrors()).toEqual([]);
  }, 120_000);
}
