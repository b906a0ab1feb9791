import { expect, it, onTestFinished } from 'vitest';
import { anOrder } from '../../helpers/an-order';
import { startHttpServer } from '../../helpers/loopback';
import { runCli } from '../../helpers/run-cli';

const order = anOrder();

/** Starts a service that sends `100 Continue` before each response, requested or not, as RFC 9110, section 15.2, permits. */
async function startEagerService(): Promise<string> {
  const { url, close } = await startHttpServer((request, response) => {
    response.writeContinue();
    const isList = request.url?.startsWith('/v1/orders?') === true;
    const status = request.method === 'PATCH' ? 'confirmed' : order.status;
    const body = isList ? { data: [order], nextCursor: null } : { data: { ...order, status } };
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
  });
  onTestFinished(close);
  return url;
}

it.each([
  [['orders', 'list', '--output', 'ndjson', '--fields', 'id'], `{"id":"${order.id}"}\n`],
  [['orders', 'get', order.id, '--output', 'csv', '--fields', 'id'], `id\n${order.id}\n`],
  [
    ['orders', 'set-status', order.id, 'confirmed', '--output', 'csv', '--fields', 'id,status'],
    `id,status\n${order.id},confirmed\n`,
  ],
])(
  'the shipped CLI skips an unrequested 100 Continue before what it may repeat: %j',
  async (args, expected) => {
    const url = await startEagerService();
    const { code, stdout, stderr } = await runCli(args, {
      TRADEPOST_BASE_URL: url,
      TRADEPOST_API_KEY: 'tpk_any',
    });
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: expected });
  },
);
