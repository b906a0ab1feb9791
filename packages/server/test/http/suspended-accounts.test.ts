import { resumeAccount, suspendAccount } from '@tradepost/domain/accounts/suspension';
import { settleUntil } from '@tradepost/domain/test/fake-clock';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { respond } from '../helpers/receiver';
import { tempFile } from '../helpers/temp-folder';
import { changeAccount } from '../stores/change-account';
import { DeliveringService } from './delivering-service';
import { type Actor, getProblem, type HttpResponse } from './service';

let harness: DeliveringService;
let file: string;

beforeEach(async () => {
  file = tempFile();
  harness = await DeliveringService.start({ store: openSqliteStore(file) });
});
afterEach(() => harness.close());

/** Suspends or resumes an account, as another process does. */
async function operate(id: string, what: 'suspend' | 'resume'): Promise<void> {
  const beside = openSqliteStore(file);
  const now = harness.clock.now();
  await changeAccount(
    beside,
    id,
    (found) => (what === 'suspend' ? suspendAccount(found, 'fraud', now) : resumeAccount(found)),
    now,
  );
  await beside.close();
}

function expectSuspended(got: HttpResponse): void {
  const problem = getProblem(got);
  expect(problem).toMatchObject({ status: 403, code: 'account_suspended' });
  expect(problem.detail).toContain('has been suspended since');
  // Why is between the operators.
  expect(problem.detail).not.toContain('fraud');
}

test('the next request of a suspended account is refused, reads and changes, and works again once it is resumed', async () => {
  const actor = await harness.service.account('buyer');
  const other = await harness.service.account('buyer');
  const list = (as: Actor) => harness.service.request('GET /v1/orders', { as });
  const body = { listingId: harness.listing.id, quantity: 1 };
  const place = (as: Actor) => harness.service.request('POST /v1/orders', { as, body });
  expect((await list(actor)).status).toBe(200);
  await operate(actor.id, 'suspend');
  expectSuspended(await list(actor));
  expectSuspended(await place(actor));
  expect((await place(other)).status).toBe(201);
  await operate(actor.id, 'resume');
  expect((await place(actor)).status).toBe(201);
});

test('a long poll ends with the suspension of its account', async () => {
  const actor = await harness.service.account('buyer');
  const idleTimers = harness.clock.pendingTimers;
  const polling = harness.service.request('GET /v1/events?waitSeconds=30', { as: actor });
  await settleUntil(() => harness.clock.pendingTimers === idleTimers + 2);
  await operate(actor.id, 'suspend');
  await harness.clock.advance(1_000);
  expectSuspended(await polling);
});

test('nothing is sent to an endpoint of a suspended account, and everything once it is resumed', async () => {
  const { receiver } = await harness.hook(respond(200), { as: harness.seller });
  await operate(harness.seller.id, 'suspend');
  await harness.place();
  await harness.clock.advance(3_600_000);
  expect(receiver.count).toBe(0);
  await operate(harness.seller.id, 'resume');
  await harness.clock.advance(1_000);
  await harness.recorded();
  expect(receiver.count).toBe(1);
});
