import { afterEach, describe, expect, test, vi } from 'vitest';
import { memoryDedupe } from '../../src/receiver/memory-dedupe';
import { faultyDelivery, exampleSecret as secret } from '../../src/testing/index';
import { aGate } from './support/a-gate';
import { aReceiver } from './support/a-receiver';
import { now } from './support/limits';
import { listening } from './support/listening';
import { anEvent, anUnknownEvent, aRequest, send } from './support/send';

/** A place for work to go on in, as a host gives one. */
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

describe('a receiver that answers first', () => {
  test('answers 202 before the handler begins, and hands the work over', async () => {
    const { waitUntil, allDone } = aHost();
    const { receiver, handle, handled } = aReceiver({ after: waitUntil });
    const request = await aRequest();
    const response = await receiver.fetch(request);
    expect(response.status).toBe(202);
    expect(handle).not.toHaveBeenCalled();
    await allDone();
    expect(handled).toEqual([anEvent]);
  });

  test('hands the work to waitUntil of the context, which keeps its this', async () => {
    const { receiver, handled } = aReceiver({ after: true });
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
    'goes on by itself when the context is %s',
    async (context) => {
      const { receiver, handle } = aReceiver({ after: true });
      const work = aGate();
      handle.mockImplementationOnce(async () => work.open());
      expect((await receiver.fetch(await aRequest(), context)).status).toBe(202);
      await work.opened;
    },
  );

  test('over a real server has answered before a handler that never ends', async () => {
    const { receiver, handle } = aReceiver({ after: true });
    handle.mockReturnValueOnce(aGate().opened);
    const host = await listening(receiver.node);
    const request = await aRequest();
    const body = new Uint8Array(await request.arrayBuffer());
    const sent = { headers: Object.fromEntries(request.headers), body };
    expect((await host.send(sent)).status).toBe(202);
    await host.stop();
  });

  test('tells onError of a handler that throws, and nothing is left unhandled', async () => {
    const { waitUntil, allDone } = aHost();
    const fault = new Error('no database');
    const { receiver, handle, errors } = aReceiver({ after: waitUntil });
    handle.mockRejectedValueOnce(fault);
    expect((await send(receiver)).status).toBe(202);
    await allDone();
    expect(errors).toEqual([fault]);
  });

  test('answers what needs no work as ever: refused, unknown, ignored', async () => {
    const { waitUntil } = aHost();
    const { receiver } = aReceiver({ after: waitUntil });
    const forged = await faultyDelivery('tampered', { secret, now });
    expect((await receiver.fetch(forged.toRequest('https://a.example'))).status).toBe(400);
    expect((await send(receiver, { event: anUnknownEvent() })).status).toBe(501);
    const { receiver: ignoring } = aReceiver({ after: waitUntil, onUnknown: 'ignore' });
    expect((await send(ignoring, { event: anUnknownEvent() })).status).toBe(204);
    expect(waitUntil).not.toHaveBeenCalled();
  });

  test('claims the delivery before the answer, and settles it when the work is done', async () => {
    const { waitUntil, allDone } = aHost();
    const { receiver, handle } = aReceiver({ after: waitUntil, dedupe: memoryDedupe() });
    const work = aGate();
    handle.mockReturnValueOnce(work.opened);
    expect((await send(receiver)).status).toBe(202);
    expect((await send(receiver)).status).toBe(503);
    work.open();
    await allDone();
    expect((await send(receiver)).status).toBe(204);
    expect(handle).toHaveBeenCalledTimes(1);
  });

  test('answers 500 and does no work when the host does not take it on', async () => {
    const fault = new Error('outside of a request');
    const refusing = vi.fn((_work: Promise<void>) => {
      throw fault;
    });
    const options = { after: refusing, dedupe: memoryDedupe() };
    const { receiver, handled, errors } = aReceiver(options);
    expect((await send(receiver)).status).toBe(500);
    await refusing.mock.calls[0]?.[0];
    expect(handled).toEqual([]);
    expect(errors).toEqual([fault]);
    expect((await send(receiver)).status).toBe(500);
  });

  test('does no work that was not taken on, however long onError takes', async () => {
    const [telling, offered] = [aGate(), aGate()];
    const refusing = vi.fn((_work: Promise<void>) => {
      offered.open();
      throw new Error('outside of a request');
    });
    const { receiver, handled } = aReceiver({ after: refusing, onError: () => telling.opened });
    const answered = send(receiver);
    await offered.opened;
    await refusing.mock.calls[0]?.[0];
    telling.open();
    expect((await answered).status).toBe(500);
    expect(handled).toEqual([]);
  });

  test('tells onError when taking the work on fails later', async () => {
    const told = aGate();
    const fault = new Error('no queue');
    const onError = vi.fn(() => told.open());
    const { receiver } = aReceiver({ after: () => Promise.reject(fault), onError });
    expect((await send(receiver)).status).toBe(202);
    await told.opened;
    expect(onError).toHaveBeenCalledWith(fault, anEvent, expect.anything());
  });
});
