import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import { expect, it } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { runCli } from '../../helpers/run-cli';
import { runServerCommand } from '../../helpers/run-server-command';
import { findOrderId } from '../../helpers/seed';
import { startOnTerminal } from '../../helpers/start-on-terminal';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';
import { temporaryFolder } from '../../helpers/temporary-folder';

/** Creates a listing with a title, and pending orders of two buyers from it. */
async function placeNamedOrders(seeded: SeededServer) {
  const { server, seller, buyer, stranger } = seeded;
  const { id: listing } = await runServerCommand<{ id: string }>(
    [
      ...['listings', 'create', '--seller', seller.id, '--quantity', '100'],
      ...['--title', 'Sencha, 1 kg'],
    ],
    server.database,
  );
  const place = async ({ apiKey }: typeof buyer): Promise<string> => {
    const { orders } = new Tradepost({ baseUrl: server.url, apiKey });
    return (await orders.create({ listingId: listing, quantity: 1 })).id;
  };
  return {
    listing,
    first: await place(buyer),
    second: await place(stranger),
    third: await place(buyer),
  };
}

it('support staff find orders by buyer, listing, status and last change', async () => {
  const seeded = await forTest(startSeededServer());
  const env = seeded.createEnvironment(seeded.seller);
  const { listing, first, second, third } = await placeNamedOrders(seeded);
  const list = async (...options: string[]): Promise<string[]> => {
    const argv = ['orders', 'list', '--jq', '.[].id', ...options];
    const { code, stdout, stderr } = await runCli(argv, env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout.split('\n').slice(0, -1);
  };
  expect(await list('--listing', listing)).toEqual([third, second, first]);
  expect(await list('--listing', listing, '--sort', 'createdAt')).toEqual([first, second, third]);
  expect(await list('--buyer', seeded.stranger.id)).toEqual([second]);
  await runCli(['orders', 'set-status', first, 'confirmed'], env);
  await runCli(['orders', 'set-status', second, 'cancelled'], env);
  expect(await list('--listing', listing, '--sort', '-updatedAt')).toEqual([second, first, third]);
  const open = ['--listing', listing, '--status', 'pending', '--status', 'confirmed'];
  expect(await list(...open)).toEqual([third, first]);
  expect(await list(...open, '--updated-since', '1h', '--buyer', seeded.buyer.id)).toEqual([
    third,
    first,
  ]);
});

it('a person sees names, and the history of an order with reasons', async () => {
  const seeded = await forTest(startSeededServer());
  const { first, listing } = await placeNamedOrders(seeded);
  const seller = seeded.createEnvironment(seeded.seller);
  const reason = 'The buyer has paid.';
  const changed = await runCli(
    ['orders', 'set-status', first, 'confirmed', '--reason', reason],
    seller,
  );
  expect(changed).toMatchObject({ code: 0, stdout: `${first} pending → confirmed\n` });

  const buyer = seeded.createEnvironment(seeded.buyer);
  const shown = await startOnTerminal(['orders', 'get', first], { env: buyer }).exit;
  expect(shown.code).toBe(0);
  expect(shown.text).toMatch(
    new RegExp(`^listingId +${listing}\nlistingTitle +Sencha, 1 kg$`, 'm'),
  );
  expect(shown.text).toMatch(/^buyerName +\S/m);
  expect(shown.text).toMatch(/ created, pending$/m);
  expect(shown.text).toMatch(/ pending → confirmed +The buyer has paid\.$/m);

  const list = ['orders', 'list', '--listing', listing];
  const table = await startOnTerminal(list, { env: buyer, columns: 160 }).exit;
  expect(table.text).toContain('Sencha, 1 kg');
  expect(table.text).not.toContain(listing);
});

it('a bulk change gives every order its reason, also when it is resumed', async () => {
  const seeded = await forTest(startSeededServer());
  const folder = await forTest(temporaryFolder());
  const env = seeded.createEnvironment(seeded.seller);
  const { first, second } = await placeNamedOrders(seeded);
  const completed = findOrderId(seeded.seed, 'completed');
  const reason = 'Batch of 26 November';
  const journal = join(folder.path, 'batch.ndjson');
  const stopped = await runCli(
    [
      ...['orders', 'set-status', completed, first, second, 'confirmed', '--yes'],
      ...['--reason', reason, '--journal', journal, '--concurrency', '1', '--max-failures', '1'],
    ],
    env,
  );
  expect(stopped.stderr).toContain('2 not attempted');
  const resumed = await runCli(['orders', 'set-status', '--resume', journal, '--yes'], env);
  expect(resumed.code).toBe(7);
  const client = new Tradepost({ baseUrl: seeded.server.url, apiKey: seeded.seller.apiKey });
  for (const orderId of [first, second]) {
    const events = await client.events.list({ orderId }).toArray({ limit: 100 });
    expect(events.at(-1)).toMatchObject({ data: { status: 'confirmed', reason } });
  }
});
