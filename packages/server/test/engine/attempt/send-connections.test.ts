import type { Socket } from 'node:net';
import { aLeasedDelivery } from '@tradepost/domain/test/builders';
import { insecureWebhookPolicy } from '@tradepost/domain/webhooks/webhook-policy';
import { describe, expect, test } from 'vitest';
import { inTurn, Receiver, respond } from '../../helpers/receiver';
import { openRawServer } from './raw-server';
import { openSender } from './sender-harness';

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

describe('connections', () => {
  test('are reused', async () => {
    const ports = new Set<number | undefined>();
    const receiver = await Receiver.open((response, request) => {
      ports.add(request.socket.remotePort);
      response.end('ok');
    });
    const sender = openSender();
    for (let count = 0; count < 20; count += 1) {
      await sender.send(aLeasedDelivery({ url: receiver.origin }));
    }
    expect(ports.size).toBe(1);
  });

  test('carry one delivery at a time, so that one that hangs does not delay another', async () => {
    const receiver = await Receiver.open(inTurn(() => {}, respond(200)));
    const sender = openSender(insecureWebhookPolicy, 1_500);
    const delivery = aLeasedDelivery({ url: receiver.origin });
    let ended = false;
    const hanging = sender.send(delivery).finally(() => {
      ended = true;
    });
    await receiver.next();
    expect(await sender.send(delivery)).toMatchObject({ status: 200 });
    expect(ended).toBe(false);
    expect(await hanging).toMatchObject({ error: 'timeout' });
  });

  test('are closed after a response that was not read completely', async () => {
    const receiver = await Receiver.open(
      inTurn(respond(500, {}, Buffer.alloc(200_000)), respond(200)),
    );
    const sender = openSender();
    const delivery = aLeasedDelivery({ url: receiver.origin });
    expect(await sender.send(delivery)).toMatchObject({ status: 500 });
    expect(await sender.send(delivery)).toMatchObject({ status: 200 });
  });
});

describe('a receiver that closes an idle connection', () => {
  test.each<[string, (socket: Socket) => void]>([
    ['before it is used again', (socket) => socket.end(ok)],
    [
      'with a reset before it is used again',
      (socket) => socket.write(ok, () => socket.resetAndDestroy()),
    ],
  ])('%s gets the next delivery over a new connection', async (_when, serve) => {
    const { url, connections } = await openRawServer((socket) => {
      socket.once('data', () => serve(socket));
    });
    const sender = openSender();
    for (let count = 1; count <= 3; count += 1) {
      expect(await sender.send(aLeasedDelivery({ url }))).toMatchObject({ status: 200 });
      expect(connections).toHaveLength(count);
    }
  });

  test.each<[string, (socket: Socket) => void]>([
    ['closes it', (socket) => socket.end()],
    ['resets it', (socket) => socket.resetAndDestroy()],
  ])('while it is reused, and %s, gets the delivery over a new connection', async (_how, close) => {
    const requests: string[] = [];
    const { url, connections } = await openRawServer((socket) => {
      let served = 0;
      socket.on('data', (request) => {
        requests.push(String(request));
        served += 1;
        if (served === 1) socket.write(ok);
        else close(socket);
      });
    });
    const sender = openSender();
    const [first, second] = [aLeasedDelivery({ url }), aLeasedDelivery({ url })];
    expect(await sender.send(first)).toMatchObject({ status: 200 });
    expect(await sender.send(second)).toMatchObject({ status: 200, error: null });
    expect(connections).toHaveLength(2);
    expect(requests).toHaveLength(3);
    expect(requests[2]).toBe(requests[1]);
    expect(requests[2]).toContain(second.eventId);
  });

  test('and every new one too fails the attempt after the second connection', async () => {
    const { url, connections } = await openRawServer((socket) => {
      const isFirst = connections.length === 1;
      socket.once('data', () => {
        if (!isFirst) {
          socket.end();
          return;
        }
        socket.write(ok);
        socket.once('data', () => socket.end());
      });
    });
    const sender = openSender();
    expect(await sender.send(aLeasedDelivery({ url }))).toMatchObject({ status: 200 });
    expect(await sender.send(aLeasedDelivery({ url }))).toMatchObject({
      status: null,
      error: 'connection_reset',
    });
    expect(connections).toHaveLength(2);
  });

  test('after the start of the response counts as a response: the delivery is not sent again', async () => {
    const { url, connections } = await openRawServer((socket) => {
      socket.once('data', () => {
        socket.write(ok);
        socket.once('data', () => socket.end('HTTP/1.1 102 Processing\r\n\r\n'));
      });
    });
    const sender = openSender();
    await sender.send(aLeasedDelivery({ url }));
    expect(await sender.send(aLeasedDelivery({ url }))).toMatchObject({
      error: 'connection_reset',
    });
    expect(connections).toHaveLength(1);
  });
});

describe('a receiver that disappears without closing the connection', () => {
  test('causes one timeout, and gets the next attempt over a new connection', async () => {
    const { url, connections } = await openRawServer((socket) => {
      socket.once('data', () => socket.write(ok));
    });
    const sender = openSender(insecureWebhookPolicy, 1_000);
    const delivery = aLeasedDelivery({ url });
    expect(await sender.send(delivery)).toMatchObject({ status: 200 });
    expect(await sender.send(delivery)).toMatchObject({ status: null, error: 'timeout' });
    expect(await sender.send(delivery)).toMatchObject({ status: 200 });
    expect(connections).toHaveLength(2);
  });
});
