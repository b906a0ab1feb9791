import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CapturedLog } from '../helpers/captured-log';
import { startService } from './service';

async function startLogged(logsPerSecond: number) {
  const clock = new FakeClock();
  const logs = new CapturedLog();
  const service = await startService({ clock, log: logs.log, logsPerSecond });
  onTestFinished(() => service.close());
  const buyer = await service.account('buyer');
  return { clock, logs, service, buyer };
}

describe('the log of requests', () => {
  it('has a line with caller, route, status, duration and bytes', async () => {
    const { logs, service, buyer } = await startLogged(10);
    const response = await service.request('GET /v1/orders?limit=5', { as: buyer });
    const line = await logs.next('request');
    expect(line).toEqual({
      level: 30,
      time: expect.any(Number),
      requestId: response.headers.get('x-request-id'),
      clientAddress: '127.0.0.1',
      method: 'GET',
      path: '/v1/orders',
      route: '/v1/orders',
      status: 200,
      durationMs: expect.any(Number),
      bytes: response.text.length,
      accountId: buyer.id,
      keyId: buyer.keyId,
      msg: 'request',
    });
    expect(logs.text.join('')).not.toContain(buyer.key);
  });

  it('has the template of a route, and none for an unknown path', async () => {
    const { logs, service, buyer } = await startLogged(10);
    await service.request('GET /v1/orders/ord_1', { as: buyer });
    expect(await logs.next('request')).toMatchObject({ route: '/v1/orders/:id', status: 404 });
    await service.request('GET /v2', { as: buyer });
    expect(await logs.next('request')).toMatchObject({ path: '/v2', route: null, status: 404 });
  });

  it('has only the number of those above the limit, by status, a second later', async () => {
    const { clock, logs, service, buyer } = await startLogged(2);
    for (let count = 0; count < 5; count += 1)
      await service.request('GET /v1/orders', { as: buyer });
    await service.request('GET /v1/orders');
    await clock.advance(1_000);
    expect(await logs.next('requests not logged one by one')).toMatchObject({
      requests: 4,
      byStatus: { 200: 3, 401: 1 },
    });
    expect(logs.text.filter((line) => line.includes('"msg":"request"'))).toHaveLength(2);
    await service.request('GET /v1/account', { as: buyer });
    for (let count = 0; count < 2; count += 1) await logs.next('request');
    expect(await logs.next('request')).toMatchObject({ path: '/v1/account' });
  });

  it('has the number of those above the limit when the server stops, too', async () => {
    const { logs, service } = await startLogged(1);
    for (let count = 0; count < 4; count += 1) await service.request('GET /v1/orders');
    await service.close();
    expect(await logs.next('requests not logged one by one')).toMatchObject({ requests: 3 });
  });

  it('has no more than the limit of requests that are not valid HTTP, with the address of each client', async () => {
    const { logs, service } = await startLogged(2);
    for (let count = 0; count < 5; count += 1) await service.sendRaw('hello\r\n\r\n');
    expect(await logs.next('request rejected before routing')).toMatchObject({
      clientAddress: '127.0.0.1',
      code: 'malformed_request',
      status: 400,
    });
    await service.close();
    expect(await logs.next('requests not logged one by one')).toMatchObject({
      requests: 3,
      byStatus: { 400: 3 },
    });
    expect(logs.text.filter((line) => line.includes('before routing'))).toHaveLength(2);
  });
});
