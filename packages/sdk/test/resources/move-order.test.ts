import { describe, expect, test } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { createTestClient } from '../helpers/a-client';
import { catchTradepostError } from '../helpers/catch-tradepost-error';
import { json, problem, reset, type Step, scriptedService } from '../helpers/scripted-service';

const read = (status: 'pending' | 'confirmed' | 'fulfilling', version = 1): Step =>
  json(200, { data: anOrder({ status }) }, { etag: `"${version}"` });
const moved = json(
  200,
  { data: anOrder({ status: 'confirmed' }) },
  { 'tradepost-changed': 'true' },
);
const conflict = problem(412, 'precondition_failed');
const { id } = anOrder();
const confirm = { from: 'pending', to: 'confirmed' } as const;

/** A client of a service that runs these steps, and what it sent. */
async function aService(...steps: Step[]) {
  const service = await scriptedService(...steps);
  const client = createTestClient(service);
  const sent = () =>
    service.seen.map(({ method, headers }) => `${method} ${headers['if-match'] ?? ''}`.trim());
  return { ...client, sent, service };
}

describe('orders.move', () => {
  test('moves an order from the status that it read, and from no other', async () => {
    const { orders, sent, service } = await aService(read('pending', 3), moved);
    const move = await orders.move(id, { ...confirm, reason: 'Paid.' });
    expect(move).toEqual({
      outcome: 'moved',
      from: 'pending',
      order: anOrder({ status: 'confirmed' }),
    });
    expect(sent()).toEqual(['GET', 'PATCH "3"']);
    expect(JSON.parse(service.request(1).body)).toEqual({ status: 'confirmed', reason: 'Paid.' });
  });

  test.each([
    ['confirmed', 'unchanged'],
    ['fulfilling', 'skipped'],
  ] as const)('sends no change of an order that is %s: %s', async (status, outcome) => {
    const { orders, sent } = await aService(read(status));
    const order = anOrder({ status });
    expect(await orders.move(id, confirm)).toEqual({ outcome, from: status, order });
    expect(sent()).toEqual(['GET']);
  });

  test('reads the order again that another client changed meanwhile', async () => {
    const steps = [read('pending', 1), conflict, read('fulfilling', 2)];
    const guarded = await aService(...steps);
    expect(await guarded.orders.move(id, confirm)).toMatchObject({ outcome: 'skipped' });
    const free = await aService(...steps, moved);
    expect(await free.orders.move(id, { to: 'confirmed' })).toMatchObject({
      outcome: 'moved',
      from: 'fulfilling',
    });
    expect(free.sent()).toEqual(['GET', 'PATCH "1"', 'GET', 'PATCH "2"']);
  });

  test('gives up an order that changes all the time', async () => {
    const loop = Array.from({ length: 9 }, () => [read('pending'), conflict]).flat();
    const { orders, service } = await aService(...loop);
    expect(await catchTradepostError(orders.move(id, confirm))).toMatchObject({ status: 412 });
    expect(service.seen).toHaveLength(10);
  });

  test.each([
    ['was moved', [read('confirmed', 2)], 'moved', ['GET']],
    ['was not moved', [read('pending'), moved], 'moved', ['GET', 'PATCH "1"']],
    ['moved on, perhaps after it was moved', [read('fulfilling', 3)], 'unknown', ['GET']],
  ])('reads an order again after a lost response: it %s', async (_, steps, outcome, requests) => {
    const { orders, sent, waits } = await aService(read('pending'), reset, ...steps);
    expect(await orders.move(id, confirm)).toMatchObject({ outcome, from: 'pending' });
    expect(sent()).toEqual(['GET', 'PATCH "1"', ...requests]);
    expect(waits).toEqual([500]);
  });

  test('shows the order once, however often it is read again', async () => {
    const seen: string[] = [];
    const beforeUpdate = ({ status }: { status: string }) => void seen.push(status);
    const { orders } = await aService(read('pending'), reset, read('pending'), moved);
    expect(await orders.move(id, { to: 'confirmed' }, { beforeUpdate })).toMatchObject({
      outcome: 'moved',
    });
    expect(seen).toEqual(['pending']);
    const other = await aService(read('pending'), conflict, read('fulfilling', 2), moved);
    await other.orders.move(id, { to: 'confirmed' }, { beforeUpdate });
    expect(seen).toEqual(['pending', 'pending', 'fulfilling']);
  });

  test('throws the lost response if a second look prevents the change', async () => {
    const { orders } = await aService(read('pending'), reset, read('fulfilling', 2));
    const beforeUpdate = ({ status }: { status: string }) => {
      if (status === 'fulfilling') throw new Error('declined');
    };
    const error = await catchTradepostError(orders.move(id, { to: 'confirmed' }, { beforeUpdate }));
    expect(error).toMatchObject({ method: 'PATCH', mayHaveBeenApplied: true });
  });

  test('says that the order may have been moved if it cannot be read again', async () => {
    const { orders } = await aService(read('pending'), reset, problem(401, 'invalid_api_key'));
    const error = await catchTradepostError(orders.move(id, confirm));
    expect(error).toMatchObject({ method: 'PATCH', mayHaveBeenApplied: true });
  });

  test('reads it again as often as it may retry', async () => {
    const loop = Array.from({ length: 9 }, () => [read('pending'), reset]).flat();
    const { orders, sent } = await aService(...loop);
    await catchTradepostError(orders.move(id, confirm, { maxRetries: 1 }));
    expect(sent()).toHaveLength(4);
  });

  test('knows by its progress that an earlier call may have moved the order', async () => {
    const { orders } = await aService(read('pending'), reset, read('confirmed', 2));
    const options = { progress: {}, maxRetries: 0 };
    const lost = await catchTradepostError(orders.move(id, confirm, options));
    expect(options.progress).toEqual({ before: anOrder(), lost });
    expect(await orders.move(id, confirm, options)).toMatchObject({ outcome: 'moved' });
  });

  test('believes the service that another request made the change', async () => {
    const other = json(
      200,
      { data: anOrder({ status: 'confirmed' }) },
      { 'tradepost-changed': 'false' },
    );
    const { orders } = await aService(read('pending'), other);
    expect(await orders.move(id, confirm)).toMatchObject({ outcome: 'unchanged' });
  });

  test('uses the version where a proxy removed the ETag, and no condition without either', async () => {
    const data = { data: anOrder() };
    const versioned = await aService(json(200, data, { 'tradepost-order-version': '4' }), moved);
    await versioned.orders.move(id, confirm);
    expect(versioned.sent()).toEqual(['GET', 'PATCH "4"']);
    const bare = await aService(json(200, data), moved);
    await bare.orders.move(id, confirm);
    expect(bare.sent()).toEqual(['GET', 'PATCH']);
  });

  test.each([
    ['pending', 'possible'],
    ['fulfilling', 'impossible'],
    ['confirmed', 'unchanged'],
    ['archived', 'possible'],
  ] as const)(
    'predicts with dryRun what becomes of an order that is %s: %s',
    async (status, outcome) => {
      const order = anOrder({ status: status as 'pending' });
      const { orders, sent } = await aService(json(200, { data: order }));
      const move = await orders.move(id, { to: 'confirmed' }, { dryRun: true });
      expect(move).toEqual({ outcome, from: status, order });
      expect(sent()).toEqual(['GET']);
    },
  );

  test('changes nothing if beforeUpdate throws', async () => {
    const { orders, sent } = await aService(read('pending'));
    const call = orders.move(id, confirm, {
      beforeUpdate({ status }, { extensions }) {
        throw new Error(`${status} ${extensions.length}`);
      },
    });
    await expect(call).rejects.toThrow('pending 0');
    expect(sent()).toEqual(['GET']);
  });

  test.each([
    ['an order', [json(200, { data: anOrder({ id: 'ord_2' }) })], `order ord_2, not ${id}`, false],
    ['a status', [read('pending'), read('pending')], 'status pending, not confirmed', true],
  ])('does not accept %s that was not requested', async (_, steps, what, isInDoubt) => {
    const { orders } = await aService(...steps);
    const error = await catchTradepostError(orders.move(id, confirm, { maxRetries: 0 }));
    expect(error).toMatchObject({ code: 'contract_mismatch', mayHaveBeenApplied: isInDoubt });
    expect(error.message).toContain(what);
  });

  test('rejects an option that does not exist', async () => {
    const { orders, sent } = await aService(read('pending'));
    const call = orders.move(id, confirm, { ifMatch: '"1"' } as never);
    expect((await catchTradepostError(call)).code).toBe('invalid_configuration');
    expect(sent()).toEqual([]);
  });
});
