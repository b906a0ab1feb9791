// In a worker of its own: an undici that another file imports would handle the requests of `fetch`.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Tradepost } from '../../src/index';
import { catchTradepostError } from '../helpers/catch-tradepost-error';

/** Starts a service that sends an interim response before each response. */
async function start(interim: string): Promise<{ baseUrl: string; connections: () => number }> {
  let connections = 0;
  const body = '{"data":[],"nextCursor":null}';
  const final = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(`HTTP/1.1 ${interim}\r\n\r\n${final}`));
    onTestFinished(() => void socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}`, connections: () => connections };
}

test.each(['102 Processing', '103 Early Hints'])(
  '%s before a response is skipped',
  async (interim) => {
    const { baseUrl } = await start(interim);
    const { orders } = new Tradepost({ baseUrl, apiKey: 'tpk_test' });
    expect((await orders.list()).data).toEqual([]);
  },
);

test('an unrequested 100 Continue is named in the error, and a POST is not sent again', async () => {
  const { baseUrl, connections } = await start('100 Continue');
  const { orders } = new Tradepost({ baseUrl, apiKey: 'tpk_test' });
  const error = await catchTradepostError(orders.create({ listingId: 'lst_1', quantity: 1 }));
  expect(error).toMatchObject({ code: 'connection_failed', mayHaveBeenApplied: true });
  expect(error.message).toContain('The service sent 100 Continue');
  expect(connections()).toBe(1);
});
