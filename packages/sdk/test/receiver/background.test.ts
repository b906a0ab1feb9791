import { afterEach, describe, expect, test, vi } from 'vitest';
import { createMemoryDedupeStore } from '../../src/receiver/dedupe-store';
import { invalidDelivery, exampleSecret as secret } from '../../src/testing/index';
import { aGate } from '../helpers/receiver/a-gate';
import { aReceiver } from '../helpers/receiver/a-receiver';
import { now } from '../helpers/receiver/limits';
import { listening } from '../helpers/receiver/listening';
import { anEvent, anUnknownEvent, aRequest, send } from '../helpers/receiver/send';

/** A host that accepts background work. */
function aHost() {
  const works: Promise<void>[] = [];
  const waitUntil = vi.fn((work: Promise<void>) => {
    works.push(work);
  });
  return { waitUntil, allDone: () => Promise.all(works) };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a receiver with the background option', () => {
  test('responds with 202 before the handler starts, and passes the work to the host', async () => {
    const { waitUntil, allDone } = aHost();
    const { receiver, handle, handled } = aReceiver({ background: waitUntil });
    const request = await aRequest();
    const response = await receiver.fetch(request);
    expect(response.status).toBe(202);
    expect(handle).not.toHaveBeenCalled();
    await allDone();
    expect(handled).toEqual([anEvent]);
  });

  test('passes the work to waitUntil of the context, called with its this', async () => {
    const { receiver, handled } = aReceiver({ background: true });
    const context = {
      works: [] as Promise<void>[],
      waitUntil(work: Promise<void>) {
        this.works.push(work);
      },
    };
    expect((await receiver.fetch(await aRequest(), context)).status).toBe(202);
    await Promise.all(context.works);
    expect(handled).toEqual([anEvent]);
  });

  test.each([[undefined], [null], [{}], [{ params: {} }], ['a text']])(
    'runs the work itself when the context is %s',
    async (context) => {
      const { receiver, handle } = aReceiver({ background: true });
      const work = aGate();
      handle.mockImplementationOnce(async () => work.open());
      expect((await receiver.fetch(await aRequest(), context)).status).toBe(202);
      await work.opened;
    },
  );

  test('responds over a real server before a handler that never ends', async () => {
    const { receiver, handle } = aReceiver({ background: true });
    handle.mockReturnValueOnce(aGate().opened);
    const host = await listening(receiver.node);
    const request = await aRequest();
    const body = new Uint8Array(await request.arrayBuffer());
    const sent = { headers: Object.fromEntries(request.headers), body };
    expect((await host.send(sent)).status).toBe(202);
    await host.stop();
  });

  test('reports a handler that throws to onError, and leaves no unhandled rejection', async () => {
    const { waitUntil, allDone } = aHost();
    const fault = new Error('no database');
    const { receiver, handle, errors } = aReceiver({ background: waitUntil });
    handle.mockRejectedValueOnce(fault);
    expect((await send(receiver)).status).toBe(202);
    await allDone();
    expect(errors).toEqual([fault]);
  });

  test('responds as usual to deliveries without work: rejected, unknown, ignored', async () => {
    const { waitUntil } = aHost();
    const { receiver } = aReceiver({ background: waitUntil });
    const forged = await invalidDelivery('tampered', { secret, now });
    expect((await receiver.fetch(forged.toRequest('https://a.example'))).status).toBe(400);
    expect((await send(receiver, { event: anUnknownEvent() })).status).toBe(501);
    const { receiver: ignoring } = aReceiver({ background: waitUntil, onUnhandled: 'ignore' });
    expect((await send(ignoring, { event: anUnknownEvent() })).status).toBe(204);
    expect(waitUntil).not.toHaveBeenCalled();
  });

  test('claims the delivery before the response, and completes it after the work', async () => {
    const { waitUntil, allDone } = aHost();
    const { receiver, handle } = aReceiver({
      background: waitUntil,
      dedupe: createMemoryDedupeStore(),
    });
    const work = aGate();
    handle.mockReturnValueOnce(work.opened);
    expect((await send(receiver)).status).toBe(202);
    expect((await send(receiver)).status).toBe(503);
    work.open();
    await allDone();
    expect((await send(receiver)).status).toBe(204);
    expect(handle).toHaveBeenCalledTimes(1);
  });

  test('responds with 500 and does no work when the host does not accept it', async () => {
    const fault = new Error('outside of a request');
    const rejecting = vi.fn((_work: Promise<void>) => {
      throw fault;
    });
    const options = { background: rejecting, dedupe: createMemoryDedupeStore() };
    const { receiver, handled, errors } = aReceiver(options);
    expect((await send(receiver)).status).toBe(500);
    await rejecting.mock.calls[0]?.[0];
    expect(handled).toEqual([]);
    expect(errors).toEqual([fault]);
    expect((await send(receiver)).status).toBe(500);
  });

  test('does not start work that the host rejected, however long onError takes', async () => {
    const [reporting, offered] = [aGate(), aGate()];
    const rejecting = vi.fn((_work: Promise<void>) => {
      offered.open();
      throw new Error('outside of a request');
    });
    const { receiver, handled } = aReceiver({
      background: rejecting,
      onError: () => reporting.opened,
    });
    const received = send(receiver);
    await offered.opened;
    await rejecting.mock.calls[0]?.[0];
    reporting.open();
    expect((await received).status).toBe(500);
    expect(handled).toEqual([]);
  });

  test('reports to onError when the host rejects the work later', async () => {
    const reported = aGate();
    const fault = new Error('no queue');
    const onError = vi.fn(() => reported.open());
    const { receiver } = aReceiver({ background: () => Promise.reject(fault), onError });
    expect((await send(receiver)).status).toBe(202);
    await reported.opened;
    expect(onError).toHaveBeenCalledWith(fault, anEvent, expect.anything());
  });
});
