import {
  deliveryFaults,
  invalidDelivery,
  sampleEvent,
  exampleSecret as secret,
  signDelivery,
} from '@tradepost/sdk/testing';
import { eventTypes } from '@tradepost/sdk/webhooks';
import { beforeEach, describe, expect, test } from 'vitest';
import { forTest } from '../../helpers/for-test';
import type { RunningProcess } from '../../helpers/start-process';
import { createSender, type Outgoing, type Sender } from './send-request';
import type { Application } from './start-application';

/** The default of the receiver's option `maxBytes`. */
const maxBytes = 1_048_576;

let lastNumber = 0;

/** An event with an ID of its own, by which the output of its handler is found. */
function anEvent(type: (typeof eventTypes)[number] = 'order.created') {
  lastNumber += 1;
  const number = String(lastNumber).padStart(8, '0');
  if (type === 'listing.availability_low') {
    const listingId = `lst_${number}`;
    return { event: sampleEvent(type, { data: { listingId } }), id: listingId };
  }
  const orderId = `ord_${number}`;
  return { event: sampleEvent(type, { data: { orderId } }), id: orderId };
}

/** A signed delivery of such an event. */
async function aDelivery(type?: (typeof eventTypes)[number]) {
  const { event, id } = anEvent(type);
  return { ...(await signDelivery({ event, secret })), id };
}

/** A signed delivery of a size: JSON may end with spaces. */
async function aDeliveryOfSize(size: number) {
  const { event, id } = anEvent();
  const body = new Uint8Array(size).fill(0x20);
  body.set(new TextEncoder().encode(JSON.stringify(event)));
  return { ...(await signDelivery({ body, secret })), id };
}

/** A receiver in a running application. */
export interface Target {
  application: Application;
  path: string;
}

/**
 * Tests a receiver. Its handlers print the type of the event and, on the same line, the ID of the order or of the listing.
 */
export function describeReceiver(title: string, getTarget: () => Target): void {
  describe(title, () => {
    let sender: Sender;
    let output: RunningProcess;

    beforeEach(() => {
      const { application, path } = getTarget();
      output = application.process;
      sender = createSender(application.port, path);
      return sender.close;
    });

    /** Returns the lines about an ID that handlers have printed. */
    const findLines = (id: string) =>
      output
        .stdout()
        .split('\n')
        .filter((line) => line.includes(id));

    /** Sends another delivery and waits for its handler, so that the output of earlier ones is complete. */
    async function expectHandled(): Promise<void> {
      const { id, ...delivery } = await aDelivery();
      expect(await sender.send(delivery)).toEqual({ status: 204, body: '' });
      await output.writes(new RegExp(id));
    }

    test.each(eventTypes)('handles an event %s and responds with 204', async (type) => {
      const { id, ...delivery } = await aDelivery(type);
      expect(await sender.send(delivery)).toEqual({ status: 204, body: '' });
      await output.writes(new RegExp(`^.*${id}.*$`, 'm'));
      expect(findLines(id)).toEqual([expect.stringContaining(type)]);
    });

    test('handles a repeated delivery once', async () => {
      const { id, ...delivery } = await aDelivery();
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        expect(await sender.send(delivery)).toEqual({ status: 204, body: '' });
      }
      await expectHandled();
      expect(findLines(id)).toHaveLength(1);
    });

    test.each(deliveryFaults)('rejects an invalid delivery: %s', async (fault) => {
      const { event, id } = anEvent();
      const delivery = await invalidDelivery(fault, { event, secret });
      const received = await sender.send(delivery);
      expect(received.status, received.body).toBe(delivery.expectedStatus);
      await expectHandled();
      expect(findLines(id)).toEqual([]);
    });

    test('names the reason of a rejection', async () => {
      const delivery = await invalidDelivery('tampered', { secret });
      expect(await sender.send(delivery)).toEqual({ status: 400, body: delivery.productionCode });
    });

    test('accepts a body of the maximum size', async () => {
      const { id, ...delivery } = await aDeliveryOfSize(maxBytes);
      expect(await sender.send(delivery)).toEqual({ status: 204, body: '' });
    });

    test.each([
      { size: maxBytes + 1, isChunked: false },
      { size: maxBytes + 1, isChunked: true },
      { size: 8_000_000, isChunked: false },
      { size: 8_000_000, isChunked: true },
    ])(
      'rejects a body of $size bytes with 413, and then handles the next delivery (chunked: $isChunked)',
      async ({ size, isChunked }) => {
        const tooLarge: Outgoing = { ...(await aDeliveryOfSize(size)), isChunked };
        for (let attempt = 1; attempt <= 3; attempt += 1) {
          expect(await sender.send(tooLarge)).toMatchObject({ status: 413 });
          await expectHandled();
        }
      },
    );
  });
}

/**
 * Tests a receiver after code that has read the body.
 *
 * @param advice what the log says to change
 */
export function testParsedBody(title: string, advice: string, getTarget: () => Target): void {
  test(`${title} rejects a delivery with 500 if its body was read before, and logs what to change`, async () => {
    const { application, path } = getTarget();
    const sender = forTest(createSender(application.port, path));
    expect(await sender.send(await aDelivery())).toEqual({
      status: 500,
      body: 'BODY_ALREADY_PARSED',
    });
    await application.process.writes(new RegExp(`BODY_ALREADY_PARSED: .*${advice}`), 'stderr');
  });
}

/** Tests the limit of a host that is smaller than that of the receiver: the host responds with 413 itself. */
export function testBodyLimit(title: string, limit: number, getTarget: () => Target): void {
  test(`${title} rejects a body of more than ${limit} bytes with 413`, async () => {
    const { application, path } = getTarget();
    const sender = forTest(createSender(application.port, path));
    expect(await sender.send(await aDeliveryOfSize(limit))).toEqual({ status: 204, body: '' });
    expect(await sender.send(await aDeliveryOfSize(limit + 1))).toMatchObject({ status: 413 });
  });
}
