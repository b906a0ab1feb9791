import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anOrder } from '../../helpers/an-order';
import { forTest } from '../../helpers/for-test';
import { findUnusedPort, startHttpServer } from '../../helpers/loopback';
import { runCli } from '../../helpers/run-cli';
import { startTlsServer } from '../../helpers/start-tls-server';
import { startTunnelProxy } from '../../helpers/start-tunnel-proxy';
import { temporaryFolder } from '../../helpers/temporary-folder';

const orders = [anOrder({ id: 'ord_1' }), anOrder({ id: 'ord_2' })];

/** A service with two orders, of which each gets the status that is requested. */
const service: RequestListener = (request, response) => {
  const order = orders.find(({ id }) => request.url === `/v1/orders/${id}`);
  const status = request.method === 'PATCH' ? 'confirmed' : 'pending';
  if (request.url === '/v1/account') response.statusCode = 404;
  const body = order ? { data: { ...order, status } } : { data: orders, nextCursor: null };
  request.resume().on('end', () => {
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
  });
};

/** Starts the service for `https://trade.test`, a name that only the proxy knows, and a proxy. */
async function start() {
  const { path } = await forTest(temporaryFolder());
  const caFile = join(path, 'ca.pem');
  const server = await forTest(startTlsServer('trade.test', caFile, service));
  const proxy = await forTest(startTunnelProxy(undefined, server));
  const env = {
    TRADEPOST_BASE_URL: 'https://trade.test',
    TRADEPOST_API_KEY: 'tpk_any',
    NODE_EXTRA_CA_CERTS: caFile,
    TRADEPOST_STATE_DIR: path,
  };
  return { proxy, env };
}

const list = ['orders', 'list', '--output', 'csv', '--fields', 'id'];
const change = ['orders', 'set-status', 'ord_1', 'ord_2', 'confirmed', '--yes'];

describe('a proxy in the environment', () => {
  it.each([
    ['HTTPS_PROXY', list, 'id\nord_1\nord_2\n'],
    ['https_proxy', [...change, '--output', 'csv', '--fields', 'id'], 'id\nord_1\nord_2\n'],
  ])('opens a tunnel to an https service: %s, %j', async (variable, args, stdout) => {
    const { proxy, env } = await start();
    const url = `http://user:p%40ss@127.0.0.1:${proxy.port}`;
    const result = await runCli(args, { ...env, [variable]: url });
    expect(result).toMatchObject({ code: 0, stdout });
    expect(new Set(proxy.requests.map(({ line }) => line))).toEqual(
      new Set(['CONNECT trade.test:443']),
    );
    const credentials = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    expect(proxy.requests[0]?.headers['proxy-authorization']).toBe(credentials);
    expect(JSON.stringify(proxy.requests)).not.toContain('tpk_any');
  });

  it('forwards the requests of an http service', async () => {
    const server = await forTest(startHttpServer(service));
    const proxy = await forTest(startTunnelProxy(undefined, server));
    const result = await runCli(list, {
      TRADEPOST_BASE_URL: 'http://trade.test',
      TRADEPOST_API_KEY: 'tpk_any',
      // Without a scheme, as other programs accept it.
      HTTP_PROXY: `127.0.0.1:${proxy.port}`,
    });
    expect(result).toMatchObject({ code: 0, stdout: 'id\nord_1\nord_2\n' });
    expect(proxy.requests.map(({ line }) => line)).toEqual([
      'GET http://trade.test/v1/orders?limit=50',
    ]);
  });

  it('is shown by doctor, without its password', async () => {
    const { proxy, env } = await start();
    const url = `http://user:secret@127.0.0.1:${proxy.port}`;
    const { code, stdout, stderr } = await runCli(['doctor'], { ...env, HTTPS_PROXY: url });
    expect(code, stderr).toBe(0);
    expect(stdout).toContain(`http://127.0.0.1:${proxy.port} (HTTPS_PROXY)`);
    expect(stdout + stderr).not.toContain('secret');
  });

  it('that rejects a request is named, and nothing was changed', async () => {
    const { env } = await start();
    const rejecting = await forTest(startTunnelProxy(407));
    const url = `http://user:secret@127.0.0.1:${rejecting.port}`;
    const create = ['orders', 'create', '--listing', 'lst_1', '--quantity', '1'];
    const names = { HTTPS_PROXY: url, HTTP_PROXY: url };
    for (const scheme of ['http', 'https']) {
      const service = { TRADEPOST_BASE_URL: `${scheme}://trade.test` };
      const { code, stderr } = await runCli(create, { ...env, ...names, ...service });
      expect(code).toBe(9);
      expect(stderr).toContain('Could not connect (rejected by the proxy)');
      expect(stderr).toContain(
        `through the proxy http://127.0.0.1:${rejecting.port} (${scheme.toUpperCase()}_PROXY)`,
      );
      expect(stderr).not.toContain('secret');
    }
  });

  it('that cannot be reached is named', async () => {
    const { env } = await start();
    const url = `http://127.0.0.1:${await findUnusedPort()}`;
    const { code, stderr } = await runCli(['doctor'], { ...env, HTTPS_PROXY: url });
    expect(code).toBe(9);
    expect(stderr).toContain(`service: The request went through the proxy ${url} (HTTPS_PROXY)`);
  });

  it('that is not valid is an error of usage, and of doctor', async () => {
    const { env } = await start();
    const invalid = { ...env, HTTPS_PROXY: 'socks5://user:secret@127.0.0.1:1080' };
    for (const args of [list, ['doctor']]) {
      const { code, stdout, stderr } = await runCli(args, invalid);
      expect(code).toBe(2);
      expect(stdout + stderr).toContain('HTTPS_PROXY is not the URL of a proxy');
      expect(stdout + stderr).not.toContain('secret');
      expect(stdout + stderr).toContain('come before HOST and an @.');
    }
  });
});
