import { request } from 'node:http';
import type { EventPage, Page } from '@tradepost/contract';
import { noon } from '@tradepost/domain/test/builders';
import { settle, settleUntil } from '@tradepost/domain/test/fake-clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStore, openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { aKey } from '../helpers/a-key';
import { respond } from '../helpers/receiver';
import { RecordingDatabase } from '../helpers/recording-database';
import { tempFile } from '../helpers/temp-folder';
import { DeliveringService } from './delivering-service';
import { type Actor, getProblem, type HttpResponse } from './service';

let harness: DeliveringService;
let db: RecordingDatabase;
let file: string;
let idleTimers: number;

beforeEach(async () => {
  file = tempFile();
  db = new RecordingDatabase(file);
  harness = await DeliveringService.start({ store: createStore(db) });
  await settle();
  idleTimers = harness.clock.pendingTimers;
  db.queries.length = 0;
});
afterEach(() => harness.close());

/** Each waiting request has two timers: the next poll, and the end of the wait. */
const areWaiting = (count: number) =>
  settleUntil(() => harness.clock.pendingTimers === idleTimers + 2 * count);

/** How often a key was checked. */
const checks = () => db.queries.filter(({ sql }) => sql.includes('api_keys.hash = ?')).length;

/** Adds an account. `revoke` revokes its key, as another process does. */
async function addActor(key: { expiresAt?: number } = {}) {
  const actor = await harness.service.account('buyer', key);
  const revoke = async () => {
    const beside = openSqliteStore(file);
    await beside.accounts.revokeKey(actor.keyId, harness.clock.now());
    await beside.close();
  };
  return { actor, revoke };
}

function waitForEvents(as: Actor | string): Promise<HttpResponse> {
  return harness.service.request('GET /v1/events?waitSeconds=30', { as });
}

function expectInvalid(got: HttpResponse, because: string): void {
  expect(getProblem(got)).toMatchObject({ status: 401, code: 'invalid_api_key' });
  expect(getProblem(got).detail).toContain(because);
  expect(got.headers.get('www-authenticate')).toContain('invalid_token');
}

async function placeAs(as: Actor): Promise<HttpResponse> {
  const body = { listingId: harness.listing.id, quantity: 1 };
  return await harness.service.request('POST /v1/orders', { as, body });
}

describe('a key that is revoked while its request waits', () => {
  it('ends its wait for events with 401 within a second, and no other wait', async () => {
    const { actor, revoke } = await addActor();
    const { record, apiKey: otherKey } = aKey({ accountId: actor.id });
    await harness.service.store.accounts.addKey(record);
    const revoked = waitForEvents(actor);
    const kept = waitForEvents(otherKey);
    await areWaiting(2);
    await revoke();
    await harness.clock.advance(1_000);
    expectInvalid(await revoked, 'was revoked');
    await areWaiting(1);
    await harness.clock.advance(29_000);
    expect((await kept).status).toBe(200);
    await areWaiting(0);
  });

  it('receives no event of a later commit', async () => {
    const { actor, revoke } = await addActor();
    const { record, apiKey: otherKey } = aKey({ accountId: actor.id });
    await harness.service.store.accounts.addKey(record);
    const revoked = waitForEvents(actor);
    await areWaiting(1);
    await revoke();
    expect((await placeAs({ id: actor.id, key: otherKey })).status).toBe(201);
    const got = await revoked;
    expectInvalid(got, 'was revoked');
    expect(got.text).not.toContain('order.created');
    const log = await harness.service.request('GET /v1/events', { as: otherKey });
    expect((JSON.parse(log.text) as EventPage).data).toHaveLength(2);
  });

  it('is rejected at the end of its wait too', async () => {
    const { actor, revoke } = await addActor();
    const got = harness.service.request('GET /v1/events?waitSeconds=1', { as: actor });
    await areWaiting(1);
    await revoke();
    await harness.clock.advance(1_000);
    expectInvalid(await got, 'was revoked');
  });

  it('likewise ends its wait when it expires', async () => {
    const { actor } = await addActor({ expiresAt: noon + 5_000 });
    const got = waitForEvents(actor);
    await areWaiting(1);
    await harness.clock.advance(4_999);
    await areWaiting(1);
    await harness.clock.advance(1);
    expectInvalid(await got, 'expired');
    await areWaiting(0);
  });

  it('receives nothing that its search found', async () => {
    const { actor, revoke } = await addActor();
    const { deliveryLog } = harness.service.store;
    const { listDeliveries } = deliveryLog;
    const searched: number[] = [];
    deliveryLog.listDeliveries = async (...args) => {
      const found = await listDeliveries(...args);
      searched.push(found.length);
      await revoke();
      return found;
    };
    await harness.hook(respond(200), { as: actor });
    expect((await placeAs(actor)).status).toBe(201);
    const query = '?event=order.created';
    expectInvalid(
      await harness.service.request(`GET /v1/deliveries${query}`, { as: actor }),
      'was revoked',
    );
    expect(searched).toEqual([1]);
  });

  it('changes nothing when the body of its request arrives late', async () => {
    const { actor, revoke } = await addActor();
    const body = JSON.stringify({ listingId: harness.listing.id, quantity: 1 });
    const before = checks();
    const posting = request(`${harness.service.url}/v1/orders`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${actor.key}`,
        'Content-Type': 'application/json',
        'Content-Length': body.length,
      },
    });
    const responded = new Promise<number | undefined>((resolve, reject) => {
      posting.once('error', reject).once('response', (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      });
    });
    posting.write(body.slice(0, 10));
    await settleUntil(() => checks() > before);
    await revoke();
    posting.end(body.slice(10));
    expect(await responded).toBe(401);
    const orders = await harness.service.request('GET /v1/orders', { as: harness.seller });
    expect((JSON.parse(orders.text) as Page<unknown>).data).toEqual([]);
  });
});

it('a committed change is reported as done, even if its key was revoked meanwhile', async () => {
  const { actor, revoke } = await addActor();
  const { orders } = harness.service.store;
  const { placeOrder } = orders;
  orders.placeOrder = async (...args: Parameters<typeof placeOrder>) => {
    const placed = await placeOrder(...args);
    await revoke();
    return placed as never;
  };
  expect((await placeAs(actor)).status).toBe(201);
  expectInvalid(await harness.service.request('GET /v1/orders', { as: actor }), 'was revoked');
});
