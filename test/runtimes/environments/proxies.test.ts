import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { forwardRequest } from '../../helpers/forward-request';
import { findUnusedPort } from '../../helpers/loopback';
import { runProcess } from '../../helpers/start-process';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';
import { startTlsServer } from '../../helpers/start-tls-server';
import { startTunnelProxy, type TunnelProxy } from '../../helpers/start-tunnel-proxy';
import { findNodeMajors } from '../node-majors';
import { type Environment, environmentVariables, installEnvironment } from './install-environment';
import { readRecipe, replacePart } from './read-recipe';

const { 'src/client.ts': client = '', 'src/pooled-client.ts': pooled = '' } = readRecipe('Proxies');

let service: SeededServer;
let environment: Environment;
let proxy: TunnelProxy;
/** The URLs of the service, directly and through TLS. */
let urls: { http: string; https: string };

beforeAll(async () => {
  service = await startSeededServer();
  environment = await installEnvironment({
    name: 'proxies',
    dependencies: {
      '@types/node': '20.19.43',
      typescript: '5.9.3',
      undici: '7.30.2',
      'undici-6': 'npm:undici@6.29.1',
      'undici-8': 'npm:undici@8.13.1',
    },
    files: {
      'src/client.ts': client,
      'src/client-6.ts': replacePart(client, "'undici'", "'undici-6'"),
      'src/client-8.ts': replacePart(client, "'undici'", "'undici-8'"),
      'src/pooled-client.ts': pooled,
      'src/pooled-direct-client.ts': replacePart(
        pooled,
        /createPooledFetch\(\{.*\}\),$/m,
        'createPooledFetch(),',
      ),
      'src/pooled-environment-client.ts': replacePart(
        pooled.replaceAll('ProxyAgent', 'EnvHttpProxyAgent'),
        "(process.env.PROXY_URL ?? '')",
        '()',
      ),
    },
  });
  await environment.run('typescript/bin/tsc');
  const tls = await startTlsServer(
    'localhost',
    join(environment.path, 'ca.pem'),
    (request, response) => forwardRequest(request, response, service.server.url),
  );
  urls = { http: service.server.url, https: `https://localhost:${tls.port}` };
  return async () => {
    await tls.close();
    await environment.remove();
    await service.close();
  };
});

beforeEach(async () => {
  proxy = await startTunnelProxy();
  return proxy.close;
});

/** Runs the calls of the program with the client of a file. */
function run(node: string, file: string, env: Record<string, string>) {
  return runProcess(node, ['dist/main.js', file], {
    cwd: environment.path,
    env: {
      ...environmentVariables,
      ...service.createEnvironment(service.buyer),
      LISTING_ID: service.seed.listings[0]?.id ?? '',
      NODE_EXTRA_CA_CERTS: join(environment.path, 'ca.pem'),
      ...env,
    },
  });
}

const succeeded = { listed: 1, missing: 'order_not_found', created: 'pending' };

/** The variables that name the proxy, for Node and for `EnvHttpProxyAgent`. */
function createProxyVariables(url: string): Record<string, string> {
  return { HTTP_PROXY: url, HTTPS_PROXY: url };
}

const majors = findNodeMajors();
const schemes = ['http', 'https'] as const;
const cases = majors.flatMap((node) => schemes.map((scheme) => ({ ...node, scheme })));

describe.each(cases)('on Node $major, with a service of $scheme', ({ major, program, scheme }) => {
  /** Runs the program, and checks that it succeeded and which way its requests took. */
  async function expectCalls(way: 'proxy' | 'direct', file: string, env: Record<string, string>) {
    const { stdout, stderr, code } = await run(program, file, {
      TRADEPOST_BASE_URL: urls[scheme],
      ...env,
    });
    expect(JSON.parse(stdout || '{}'), stderr).toEqual(succeeded);
    expect(code).toBe(0);
    const target = new URL(urls[scheme]).host;
    const lines = new Set(proxy.requests.map(({ line }) => line));
    expect(lines).toEqual(new Set(way === 'proxy' ? [`CONNECT ${target}`] : []));
    const headers = JSON.stringify(proxy.requests);
    expect(headers).not.toContain(service.buyer.apiKey);
    return stderr;
  }

  const proxyUrl = () => `http://127.0.0.1:${proxy.port}`;

  // The `fetch` of Node 26 takes no dispatcher of undici 6.
  test.each(['client', ...(major < 26 ? ['client-6'] : []), 'pooled-client'])(
    'the calls of a client with a ProxyAgent go through the proxy (%s)',
    async (file) => {
      await expectCalls('proxy', file, { PROXY_URL: proxyUrl() });
    },
  );

  test('a ProxyAgent sends the user and the password of its URL', async () => {
    const url = `http://user:secret@127.0.0.1:${proxy.port}`;
    await expectCalls('proxy', 'client', { PROXY_URL: url });
    const credentials = `Basic ${Buffer.from('user:secret').toString('base64')}`;
    expect(proxy.requests[0]?.headers['proxy-authorization']).toBe(credentials);
  });

  test('the calls of a client with an EnvHttpProxyAgent go where the environment says', async () => {
    const file = 'pooled-environment-client';
    const env = createProxyVariables(proxyUrl());
    await expectCalls('direct', file, { ...env, NO_PROXY: new URL(urls[scheme]).hostname });
    await expectCalls('proxy', file, env);
  });

  test('the environment has no effect on a pool of connections', async () => {
    const env = { ...createProxyVariables(proxyUrl()), NODE_USE_ENV_PROXY: '1' };
    await expectCalls('direct', 'pooled-direct-client', env);
  });

  // From Node 26 on, plain HTTP goes through a proxy without a tunnel, which this one does not offer.
  const isForwarded = major >= 26 && scheme === 'http';

  if (!isForwarded) {
    const effect = major >= 22 ? 'sends calls through the proxy' : 'has no effect';
    test(`NODE_USE_ENV_PROXY=1 ${effect}`, async () => {
      const env = createProxyVariables(proxyUrl());
      await expectCalls('direct', 'direct-client', env);
      const enabled = { ...env, NODE_USE_ENV_PROXY: '1' };
      await expectCalls('direct', 'direct-client', {
        ...enabled,
        NO_PROXY: new URL(urls[scheme]).hostname,
      });
      const way = major >= 22 ? 'proxy' : 'direct';
      const stderr = await expectCalls(way, 'direct-client', enabled);
      expect(stderr.includes('experimental')).toBe(major === 22);
    });
  }

  if (major < 26) {
    test('no call of a client with a ProxyAgent of undici 8 succeeds', async () => {
      const { stdout } = await run(program, 'client-8', {
        TRADEPOST_BASE_URL: urls[scheme],
        PROXY_URL: proxyUrl(),
      });
      // Node 20 cannot load it.
      const failed = 'connection_failed';
      const results = { listed: failed, missing: failed, created: failed };
      expect(stdout === '' ? undefined : JSON.parse(stdout)).toEqual(
        major === 20 ? undefined : expect.objectContaining(results),
      );
      expect(proxy.requests).toEqual([]);
    });
  } else if (!isForwarded) {
    test('the calls of a client with a ProxyAgent of undici 8 go through the proxy', async () => {
      await expectCalls('proxy', 'client-8', { PROXY_URL: proxyUrl() });
    });
  }
});

describe.each(['client', 'pooled-client'])('a client with a proxy that fails (%s)', (file) => {
  const failed = 'connection_failed';

  test('reports that a change certainly was not sent when the proxy cannot be reached', async () => {
    const url = `http://127.0.0.1:${await findUnusedPort()}`;
    const env = { TRADEPOST_BASE_URL: urls.https, PROXY_URL: url };
    const { stdout } = await run(process.execPath, file, env);
    const results = { listed: failed, missing: failed, created: failed, notSent: true };
    expect(JSON.parse(stdout)).toEqual(results);
  });

  test('reports a failed connection when the proxy rejects the tunnel', async () => {
    const rejecting = await forTest(startTunnelProxy(407));
    const url = `http://127.0.0.1:${rejecting.port}`;
    const env = { TRADEPOST_BASE_URL: urls.https, PROXY_URL: url };
    const { stdout } = await run(process.execPath, file, env);
    expect(JSON.parse(stdout)).toMatchObject({ listed: failed, missing: failed, created: failed });
    expect(rejecting.requests.length).toBeGreaterThan(0);
  });
});
