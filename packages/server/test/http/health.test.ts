import { rmSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { tempFile } from '../helpers/temp-folder';
import { getProblem, startService } from './service';

async function start() {
  const file = tempFile();
  const service = await startService({ store: openSqliteStore(file) });
  onTestFinished(() => service.close());
  return { file, service };
}

it('livez and readyz respond without a key while the server works', async () => {
  const { service } = await start();
  for (const [path, status] of [
    ['/livez', 'ok'],
    ['/readyz', 'ready'],
  ]) {
    const got = await service.request(`GET ${path}`);
    expect([got.status, JSON.parse(got.text)]).toEqual([200, { status }]);
    expect(got.headers.get('cache-control')).toBe('no-store');
    expect((await service.request(`HEAD ${path}`)).status).toBe(200);
  }
});

it('readyz fails once the database file is gone, and livez does not', async () => {
  const { file, service } = await start();
  expect((await service.request('GET /readyz')).status).toBe(200);
  rmSync(file);
  const got = await service.request('GET /readyz');
  expect(getProblem(got)).toMatchObject({ status: 503, code: 'store_unavailable' });
  expect((await service.request('GET /livez')).status).toBe(200);
});

it('readyz fails as soon as the shutdown starts', async () => {
  const { service } = await start();
  const pending = await service.openConnection();
  await pending.send('GET /readyz HTTP/1.1\r\nHost: x\r\n');
  // A response on another connection shows that these bytes have arrived.
  await service.request('GET /livez');
  const closed = service.close();
  await pending.send('\r\n');
  const response = await pending.response;
  expect(response).toContain('HTTP/1.1 503 ');
  expect(response).toContain('"code":"shutting_down"');
  await closed;
});

it('livez and readyz accept only GET and HEAD', async () => {
  const { service } = await start();
  for (const path of ['/livez', '/readyz']) {
    const got = await service.request(`POST ${path}`);
    expect(getProblem(got).code).toBe('method_not_allowed');
    expect(got.headers.get('allow')).toBe('GET, HEAD');
  }
});
