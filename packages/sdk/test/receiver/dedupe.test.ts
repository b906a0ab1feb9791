import { createHmac } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import type { DedupeStore } from '../../src/receiver/dedupe-store';
import { createMemoryDedupeStore } from '../../src/receiver/dedupe-store';
import { exampleSecret as secret } from '../../src/testing/index';
import { aGate } from '../helpers/receiver/a-gate';
import { aReceiver } from '../helpers/receiver/a-receiver';
import { anEvent, anUnknownEvent, aRequest, send } from '../helpers/receiver/send';

/** A store that records its calls, and returns given results. */
function aStore(results: Partial<DedupeStore> = {}) {
  const store = createMemoryDedupeStore();
  const calls: string[] = [];
  const dedupe: DedupeStore = {
    claim(key) {
      calls.push(`begin ${key}`);
      return results.claim ? results.claim(key) : store.claim(key);
    },
    complete(key) {
      calls.push(`done ${key}`);
      return results.complete ? results.complete(key) : store.complete(key);
    },
    release(key) {
      calls.push(`failed ${key}`);
      return results.release ? results.release(key) : store.release(key);
    },
  };
  return { dedupe, calls };
}

describe('a receiver with a dedupe store', () => {
  test('handles a repeated delivery once', async () => {
    const { dedupe, calls } = aStore();
    const { receiver, handled } = aReceiver({ dedupe });
    for (const _ of [1, 2, 3]) expect((await send(receiver)).status).toBe(204);
    expect(handled).toEqual([anEvent]);
    expect(calls).toEqual(['begin evt_1', 'done evt_1', 'begin evt_1', 'begin evt_1']);
  });

  test('handles two events with the same content and different IDs', async () => {
    const { receiver, handled } = aReceiver({ dedupe: createMemoryDedupeStore() });
    for (const id of ['evt_1', 'evt_2']) await send(receiver, { id });
    expect(handled).toEqual([anEvent, anEvent]);
  });

  test('uses Service-Signature as key when no ID is signed', async () => {
    const { dedupe, calls } = aStore();
    const { receiver, handled } = aReceiver({ dedupe });
    for (const _ of [1, 2]) expect((await send(receiver, { standard: false })).status).toBe(204);
    expect(handled).toEqual([anEvent]);
    const signature = createHmac('sha256', secret).update(JSON.stringify(anEvent)).digest('hex');
    expect(calls[0]).toBe(`begin ${signature}`);
  });

  test('makes the service retry a delivery that is in progress, and says when', async () => {
    const { receiver, handle } = aReceiver({ dedupe: createMemoryDedupeStore() });
    const [started, work] = [aGate(), aGate()];
    handle.mockImplementationOnce(async () => {
      started.open();
      await work.opened;
    });
    const first = send(receiver);
    await started.opened;
    expect(await send(receiver)).toMatchObject({ status: 503, headers: { 'retry-after': '10' } });
    work.open();
    expect((await first).status).toBe(204);
    expect((await send(receiver)).status).toBe(204);
    expect(handle).toHaveBeenCalledTimes(1);
  });

  test('handles it again after the handler threw', async () => {
    const { dedupe, calls } = aStore();
    const { receiver, handle } = aReceiver({ dedupe });
    handle.mockRejectedValueOnce(new Error('no database'));
    expect((await send(receiver)).status).toBe(500);
    expect((await send(receiver)).status).toBe(204);
    expect(handle).toHaveBeenCalledTimes(2);
    expect(calls).toEqual(['begin evt_1', 'failed evt_1', 'begin evt_1', 'done evt_1']);
  });

  test('claims no delivery that is rejected or unhandled', async () => {
    const { dedupe, calls } = aStore();
    const { receiver } = aReceiver({ dedupe });
    expect((await send(receiver, { event: anUnknownEvent() })).status).toBe(501);
    const forged = new Request(await aRequest(), { headers: {} });
    expect((await receiver.fetch(forged)).status).toBe(400);
    expect(calls).toEqual([]);
  });

  test('waits for a slow store', async () => {
    const { dedupe, calls } = aStore({ claim: () => Promise.resolve('completed') });
    const { receiver, handled } = aReceiver({ dedupe });
    expect((await send(receiver)).status).toBe(204);
    expect(handled).toEqual([]);
    expect(calls).toEqual(['begin evt_1']);
  });
});

describe('a dedupe store that fails', () => {
  const fault = new Error('no store');

  test('to claim makes the service retry the delivery', async () => {
    const { dedupe } = aStore({ claim: () => Promise.reject(fault) });
    const { receiver, handled, errors } = aReceiver({ dedupe });
    expect(await send(receiver)).toMatchObject({ status: 500, body: 'DEDUPE_FAILED' });
    expect(handled).toEqual([]);
    expect(errors).toEqual([fault]);
  });

  test('with an invalid result is reported, and the service retries the delivery', async () => {
    const claim = vi.fn().mockReturnValue(undefined);
    const { receiver, errors } = aReceiver({ dedupe: aStore({ claim }).dedupe });
    expect((await send(receiver)).status).toBe(500);
    expect(String(errors[0])).toContain(
      'must return acquired, completed or in_progress (got undefined)',
    );
  });

  test('to complete is reported, and the delivery stays handled', async () => {
    const { dedupe } = aStore({ complete: () => Promise.reject(fault) });
    const { receiver, errors } = aReceiver({ dedupe });
    expect((await send(receiver)).status).toBe(204);
    expect(errors).toEqual([fault]);
  });

  test('after a handler that threw causes a report of both errors', async () => {
    const { dedupe } = aStore({ release: () => Promise.reject(fault) });
    const { receiver, handle, errors } = aReceiver({ dedupe });
    const first = new Error('no database');
    handle.mockRejectedValueOnce(first);
    expect((await send(receiver)).status).toBe(500);
    expect(errors).toEqual([first, fault]);
  });
});
