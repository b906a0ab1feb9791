import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { tempFile } from '../helpers/temp-folder';
import { getProblem, startService } from './service';

it('changes are rejected with `overloaded` while the store cannot write; reads and probes are not', async () => {
  const file = tempFile();
  const page = 'https://app.example';
  const service = await startService({ store: openSqliteStore(file), corsOrigins: [page] });
  onTestFinished(() => service.close());
  const buyer = await service.account('buyer');
  const listing = await service.listing(await service.account('seller'), null, 1_000_000);
  const body = { listingId: listing.id, quantity: 1 };
  const order = { as: buyer, body, headers: { Origin: page } };
  const other = new Database(file);
  onTestFinished(() => {
    other.close();
  });
  other.exec('BEGIN IMMEDIATE');

  const waiting = service.request('POST /v1/orders', order);
  const others: Promise<void>[] = [];
  let rejected: Awaited<typeof waiting> | undefined;
  while (rejected === undefined) {
    // Those that arrive before the store is half a second behind wait, too.
    const next = service.request('POST /v1/orders', order).then((response) => {
      if (response.status === 503) rejected ??= response;
    });
    others.push(next);
    await Promise.race([next, service.request('GET /v1/account', { as: buyer })]);
  }
  expect(getProblem(rejected)).toMatchObject({ status: 503, code: 'overloaded' });
  expect(rejected.headers.get('retry-after')).toBe('1');
  // It does not go through Express, but has the headers of every response.
  expect(rejected.headers.get('cache-control')).toBe('no-store');
  expect(rejected.headers.get('x-content-type-options')).toBe('nosniff');
  expect(rejected.headers.get('access-control-allow-origin')).toBe(page);
  expect((await service.request('GET /v1/orders', { as: buyer })).status).toBe(200);
  expect((await service.request('GET /livez')).status).toBe(200);

  other.exec('COMMIT');
  expect((await waiting).status).toBe(201);
  await Promise.all(others);
  expect((await service.request('POST /v1/orders', order)).status).toBe(201);
});
