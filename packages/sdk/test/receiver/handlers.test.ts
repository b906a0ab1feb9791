import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { sampleEvent } from '../../src/testing/index';
import { WebhookVerificationError } from '../../src/webhooks/index';
import { aReceiver } from '../helpers/receiver/a-receiver';
import { now } from '../helpers/receiver/limits';
import { anEvent, anUnknownEvent, aRequest, send } from '../helpers/receiver/send';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe('a handler', () => {
  test('receives the event, and the delivery with ID, time and signature', async () => {
    const handler = vi.fn();
    const { receiver } = aReceiver({ on: { 'order.status_changed': handler } });
    expect(await send(receiver)).toMatchObject({ status: 204 });
    expect(handler).toHaveBeenCalledExactlyOnceWith(
      anEvent,
      expect.objectContaining({
        event: anEvent,
        id: 'evt_1',
        sentAt: new Date(now),
        secretIndex: 0,
      }),
    );
  });

  test('gets the headers that the service sends from a request whose headers only have get', async () => {
    const handler = vi.fn();
    const { receiver } = aReceiver({ on: { 'order.status_changed': handler } });
    const request = await aRequest();
    request.headers.set('traceparent', '00-1-2-01');
    request.headers.set('x-other', 'not listed');
    const get = (name: string) => request.headers.get(name);
    const { method, body, bodyUsed } = request;
    await receiver.fetch({ method, headers: { get }, body, bodyUsed });
    const headers = handler.mock.lastCall?.[1].headers;
    expect(Object.keys(headers).sort()).toEqual([
      'content-type',
      'service-signature',
      'traceparent',
      'webhook-id',
      'webhook-signature',
      'webhook-timestamp',
    ]);
  });

  test('may be synchronous, and may throw', async () => {
    const { receiver, errors } = aReceiver({
      on: {
        'order.created': () => 1,
        'order.status_changed': () => {
          throw new Error('at once');
        },
      },
    });
    expect((await send(receiver, { event: sampleEvent('order.created') })).status).toBe(204);
    expect(await send(receiver)).toMatchObject({ status: 500, body: 'HANDLER_FAILED' });
    expect(errors).toEqual([new Error('at once')]);
  });

  test('that throws is reported to console.error with the event and its ID, unless onError is set', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue();
    const fault = new Error('no database');
    const on = { 'order.status_changed': () => Promise.reject(fault) };
    const { receiver } = aReceiver({ on, onError: undefined });
    expect((await send(receiver)).status).toBe(500);
    expect(log).toHaveBeenCalledExactlyOnceWith(
      'Delivery evt_1 of order.status_changed was not handled:',
      fault,
    );
  });

  test('and an onError that both throw leave a response and no unhandled rejection', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue();
    const another = new Error('no log either');
    const { receiver } = aReceiver({
      on: { 'order.status_changed': () => Promise.reject(new Error('no database')) },
      onError: async () => Promise.reject(another),
    });
    expect((await send(receiver)).status).toBe(500);
    expect(log).toHaveBeenCalledExactlyOnceWith(another);
  });
});

describe('an event without a handler', () => {
  test.each(['order.exploded', 'constructor', '__proto__', 'toString'])(
    'gets a 501 when there is no onUnhandled: %s',
    async (kind) => {
      const { receiver, errors } = aReceiver();
      const received = await send(receiver, { event: anUnknownEvent(kind) });
      expect(received).toMatchObject({ status: 501 });
      expect(received.body).toContain(`no handler for ${kind}: add it to "on"`);
      expect(errors).toEqual([]);
    },
  );

  test('gets a 501 even if its type is known', async () => {
    const on = { 'order.status_changed': undefined, 'order.created': () => undefined };
    expect((await send(aReceiver({ on }).receiver)).status).toBe(501);
  });

  test('has its long name truncated in the response', async () => {
    const event = anUnknownEvent('x'.repeat(3_000));
    expect((await send(aReceiver().receiver, { event })).body.length).toBeLessThan(300);
  });

  test('is passed to onUnhandled, which counts like a handler', async () => {
    const onUnhandled = vi.fn().mockRejectedValueOnce(new Error('not now'));
    const { receiver } = aReceiver({ on: {}, onUnhandled });
    expect((await send(receiver)).status).toBe(500);
    expect((await send(receiver)).status).toBe(204);
    const event = anUnknownEvent();
    expect((await send(receiver, { event })).status).toBe(204);
    expect(onUnhandled).toHaveBeenLastCalledWith(event, expect.objectContaining({ id: 'evt_1' }));
  });

  test('gets a 204 when it is ignored', async () => {
    const on = { 'order.created': () => undefined };
    const { receiver, handled } = aReceiver({ on, onUnhandled: 'ignore' });
    expect((await send(receiver, { event: anUnknownEvent() })).status).toBe(204);
    expect((await send(receiver)).status).toBe(204);
    expect(handled).toEqual([]);
  });
});

describe('a rejected delivery', () => {
  const forged = async () => new Request(await aRequest(), { headers: {} });

  test('is passed to onVerificationError, which is awaited', async () => {
    const reported: unknown[] = [];
    const { receiver } = aReceiver({
      onVerificationError: async (error) => {
        await null;
        reported.push(error);
      },
    });
    expect((await receiver.fetch(await forged())).status).toBe(400);
    expect(reported).toEqual([expect.any(WebhookVerificationError)]);
  });

  test('is logged with console.warn by default, each one in development', async () => {
    const log = vi.spyOn(console, 'warn').mockReturnValue();
    const { receiver } = aReceiver({ onVerificationError: undefined });
    await receiver.fetch(await forged());
    await receiver.fetch(await forged());
    expect(log.mock.calls).toEqual([
      [expect.stringContaining('Delivery rejected, MISSING_SIGNATURE: ')],
      [expect.stringContaining('Delivery rejected, MISSING_SIGNATURE: ')],
    ]);
  });

  test('of a wrong secret is logged in production too, once a minute for each code', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    vi.useFakeTimers({ toFake: ['Date'], now });
    onTestFinished(() => void vi.useRealTimers());
    const log = vi.spyOn(console, 'warn').mockReturnValue();
    const { receiver } = aReceiver({
      secret: 'whsec_of_another_webhook',
      onVerificationError: undefined,
    });
    for (let index = 0; index < 5; index += 1) await send(receiver);
    await receiver.fetch(await forged());
    vi.setSystemTime(+now + 60_000);
    await send(receiver);
    const lines = log.mock.calls.map(([line]) => String(line).replace(/: .*?(\(|$)/, ' $1'));
    expect(lines).toEqual([
      'Delivery rejected, SIGNATURE_MISMATCH ',
      'Delivery rejected, MISSING_SIGNATURE ',
      'Delivery rejected, SIGNATURE_MISMATCH (4 more since the last line with this code)',
    ]);
    expect(log.mock.calls[0]?.[0]).toContain('the whole secret of this webhook');
  });

  test('gets a response even if onVerificationError or the clock throws', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue();
    const fault = new Error('no log');
    const throwing = () => {
      throw fault;
    };
    const { receiver } = aReceiver({ onVerificationError: throwing });
    expect((await receiver.fetch(await forged())).status).toBe(400);
    const { receiver: clockless } = aReceiver({ now: throwing });
    expect(await send(clockless)).toMatchObject({ status: 500, body: 'RECEIVER_FAILED' });
    expect(log.mock.calls).toEqual([[fault], [fault]]);
  });
});
