import { expect, it, onTestFinished } from 'vitest';
import { maxPipelined, maxPipelinedInAll } from '../../src/http/admission';
import { CapturedLog } from '../helpers/captured-log';
import { startService } from './service';

async function start() {
  const logs = new CapturedLog();
  const service = await startService({ log: logs.log });
  onTestFinished(() => service.close());
  return { logs, service, buyer: await service.account('buyer') };
}

const get = (path: string, key: string, more = '') =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${more}\r\n`;
const close = 'Connection: close\r\n';

it('pipelined requests get their responses in their order', async () => {
  const { service, buyer } = await start();
  const paths = ['/v1/account', '/v1/orders/ord_1', '/v2', '/v1/orders?limit=1'];
  const response = await service.sendRaw(
    [...paths, '/livez']
      .map((path) => get(path, buyer.key, path === '/livez' ? close : ''))
      .join(''),
  );
  const statuses = [...response.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  expect(statuses).toEqual(['200', '404', '404', '200', '200']);
});

it('a pipelined request is not handled before the response to the one before it', async () => {
  const { logs, service, buyer } = await start();
  const connection = await service.openConnection();
  const webhook = JSON.stringify({ url: 'https://hooks.example/', events: ['order.created'] });
  const post = `POST /v1/webhooks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${buyer.key}\r\nContent-Type: application/json\r\nContent-Length: ${webhook.length}\r\n\r\n${webhook}`;
  await connection.send(get('/v1/events?waitSeconds=1', buyer.key) + post);
  // A response on another connection shows that these bytes have arrived.
  await service.request('GET /livez');
  await service.request('GET /livez');
  expect(await service.store.webhooks.listAllWebhooks(buyer.id)).toEqual([]);
  await logs.next('request');
  await connection.send(get('/livez', buyer.key, close));
  expect(
    [...(await connection.response).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, one]) => one),
  ).toEqual(['200', '201', '200']);
  expect(await service.store.webhooks.listAllWebhooks(buyer.id)).toHaveLength(1);
});

it('a connection with too many pipelined requests is closed and logged, and others go on', async () => {
  const { logs, service, buyer } = await start();
  const flood = get('/v1/account', buyer.key).repeat(maxPipelined + 100);
  const connection = await service.openConnection();
  await connection.send(get('/v1/events?waitSeconds=30', buyer.key) + flood);
  await connection.response.catch(() => {});
  expect(
    await logs.next('connections closed: too many requests without waiting for responses'),
  ).toMatchObject({ closed: 1 });
  expect((await service.request('GET /v1/account', { as: buyer })).status).toBe(200);
});

it('what is not valid HTTP is rejected after the response to the request before it', async () => {
  const { service, buyer } = await start();
  const webhook = JSON.stringify({ url: 'https://hooks.example/', events: ['order.created'] });
  const response = await service.sendRaw(
    `POST /v1/webhooks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${buyer.key}\r\nContent-Type: application/json\r\nContent-Length: ${webhook.length}\r\n\r\n${webhook}hello\r\n\r\n`,
  );
  expect([...response.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, one]) => one)).toEqual(['201', '400']);
  expect(response).toContain('"secret":"whsec_');
});

it('a connection may not add to what waits once too many requests of all connections do', async () => {
  const { service, buyer } = await start();
  const wait = get('/v1/events?waitSeconds=30', buyer.key);
  const connections = await Promise.all(
    Array.from({ length: maxPipelinedInAll / maxPipelined }, () => service.openConnection()),
  );
  for (const { send } of connections) {
    await send(wait + get('/v1/account', buyer.key).repeat(maxPipelined));
  }
  // Responses that were requested later show that these bytes have arrived.
  for (let count = 0; count < 2; count += 1) await service.request('GET /livez');
  const late = await service.openConnection();
  await late.send(wait + get('/v1/account', buyer.key));
  expect(await late.response).toBe('');
  expect((await service.request('GET /v1/account', { as: buyer })).status).toBe(200);
});

it('a request with more than 100 headers is rejected, after the response to the one before it', async () => {
  const { service, buyer } = await start();
  const more = (count: number) => 'a: 1\r\n'.repeat(count);
  expect(await service.sendRaw(get('/v1/account', buyer.key, more(97) + close))).toContain(' 200 ');
  const response = await service.sendRaw(
    get('/v1/account', buyer.key) + get('/v1/account', buyer.key, more(99)) + get('/livez', ''),
  );
  const statuses = [...response.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  expect(statuses).toEqual(['200', '431']);
  expect(response).toContain('"code":"headers_too_large"');
});

it('the body of a request that is rejected for its headers is not read as a request', async () => {
  const { service, buyer } = await start();
  const connection = await service.openConnection();
  const inner = get('/v1/account', buyer.key);
  const outer = `POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: ${inner.length}\r\n${'a: 1\r\n'.repeat(99)}\r\n`;
  await connection.send(get('/v1/events?waitSeconds=1', buyer.key) + outer);
  // Responses that were requested later show that these bytes have arrived.
  for (let count = 0; count < 2; count += 1) await service.request('GET /livez');
  await connection.send(inner);
  const statuses = [...(await connection.response).matchAll(/HTTP\/1\.1 (\d+)/g)].map(
    ([, status]) => status,
  );
  expect(statuses).toEqual(['200', '431']);
});
