import { get } from 'node:http';
import { gunzipSync } from 'node:zlib';
import openApi31 from '@tradepost/contract/openapi.json' with { type: 'json' };
import openApi30 from '@tradepost/contract/openapi-3.0.json' with { type: 'json' };
import openApiTolerant from '@tradepost/contract/openapi-tolerant.json' with { type: 'json' };
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServerOptions } from '../../src/runtime/server';
import { getProblem, startService } from './service';

async function start(options: Partial<ServerOptions> = {}) {
  const service = await startService(options);
  onTestFinished(() => service.close());
  return service;
}

type Service = Awaited<ReturnType<typeof start>>;

const documents = [
  ['/openapi.json', openApi31],
  ['/openapi-3.0.json', openApi30],
  ['/openapi-tolerant.json', openApiTolerant],
] as const;

async function listAssets(service: Service): Promise<string[]> {
  const { text } = await service.request('GET /docs');
  return [...text.matchAll(/"(docs\/assets\/[^"]+)"/g)].map(([, path]) => `/${path}`);
}

/** Sends a GET with exactly these headers: fetch would decompress the body. */
function getRaw(
  service: Service,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]>; body: Buffer }> {
  return new Promise((resolve, reject) => {
    get(service.url + path, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const { statusCode: status, headers: received } = response;
        resolve({ status, headers: received, body: Buffer.concat(chunks) });
      });
    }).on('error', reject);
  });
}

it.each(documents)('%s is the document of the contract with this server', async (path, file) => {
  const got = await (await start()).request(`GET ${path}`);
  expect(got.status).toBe(200);
  expect(JSON.parse(got.text)).toEqual({
    ...file,
    servers: [{ url: '.', description: 'This server.' }],
  });
  expect(got.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(got.headers.get('cache-control')).toBe('public, max-age=300');
  expect(got.headers.get('x-content-type-options')).toBe('nosniff');
});

it('the page refers only to its own assets, which have a hash in their names', async () => {
  const service = await start();
  const got = await service.request('GET /docs');
  expect(got.status).toBe(200);
  expect(got.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(got.headers.get('cache-control')).toBe('no-cache');
  expect(got.text).toContain('<html lang="en">');
  // Relative paths, so that the page also works under a path prefix of a proxy.
  expect(got.text).not.toMatch(/(src|href)="(\/|https?:)/);
  const assets = await listAssets(service);
  expect(assets).toHaveLength(4);
  for (const path of assets) {
    expect(path).toMatch(/\.[0-9a-f]{16}\.(js|css)$/);
    const asset = await service.request(`GET ${path}`);
    expect(asset.status).toBe(200);
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(asset.headers.get('content-type')).toBe(
      path.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
    );
  }
});

it('only the page has the strict policy of the page', async () => {
  const service = await start();
  const policy = (await service.request('GET /docs')).headers.get('content-security-policy');
  expect(policy?.split(';')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
  for (const path of ['/openapi.json', '/livez']) {
    const other = await service.request(`GET ${path}`);
    expect(other.headers.get('content-security-policy')).toContain("default-src 'self'");
  }
});

describe('every file of the API reference', () => {
  async function listPaths(service: Service): Promise<string[]> {
    return [...documents.map(([path]) => path), '/docs', ...(await listAssets(service))];
  }

  it('is compressed for clients that accept gzip', async () => {
    const service = await start();
    for (const path of await listPaths(service)) {
      const plain = await getRaw(service, path, {});
      const compressed = await getRaw(service, path, { 'Accept-Encoding': 'gzip, br' });
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(compressed.headers['content-encoding']).toBe('gzip');
      expect(gunzipSync(compressed.body).equals(plain.body)).toBe(true);
      for (const { headers, body } of [plain, compressed]) {
        expect(headers.vary).toBe('Accept-Encoding');
        expect(headers['content-length']).toBe(String(body.length));
      }
      expect(compressed.headers.etag).not.toBe(plain.headers.etag);
    }
  });

  it('is a 304 for a client that has it', async () => {
    const service = await start();
    for (const path of await listPaths(service)) {
      for (const encoding of ['gzip', 'identity']) {
        const headers = { 'Accept-Encoding': encoding };
        const { etag = '' } = (await getRaw(service, path, headers)).headers;
        const again = await getRaw(service, path, { ...headers, 'If-None-Match': String(etag) });
        expect([again.status, again.body.length]).toEqual([304, 0]);
        expect(again.headers.etag).toBe(etag);
        const changed = await getRaw(service, path, { ...headers, 'If-None-Match': '"other"' });
        expect(changed.status).toBe(200);
      }
    }
  });

  it('responds to HEAD with the headers of GET, and rejects other methods', async () => {
    const service = await start();
    for (const path of await listPaths(service)) {
      const got = await service.request(`GET ${path}`);
      const head = await service.request(`HEAD ${path}`);
      expect([head.status, head.text]).toEqual([200, '']);
      for (const name of ['etag', 'content-type', 'cache-control', 'content-length']) {
        expect(head.headers.get(name)).toBe(got.headers.get(name));
      }
      for (const method of ['POST', 'PUT', 'DELETE']) {
        const rejected = await service.request(`${method} ${path}`);
        expect(getProblem(rejected).code).toBe('method_not_allowed');
        expect(rejected.headers.get('allow')).toBe('GET, HEAD');
        expect(rejected.headers.get('cache-control')).toBe('no-store');
      }
    }
  });
});

it('/docs/ leads to the page, whatever is before its path', async () => {
  const service = await start();
  const got = await getRaw(service, '/docs/', {});
  expect([got.status, got.headers.location]).toEqual([308, '../docs']);
  const rejected = await service.request('POST /docs/');
  expect(getProblem(rejected).code).toBe('method_not_allowed');
});

it('a path that does not exist names the page only if there is one', async () => {
  const on = await (await start()).request('GET /');
  expect(getProblem(on).detail).toContain('/docs describes it.');
  const off = await (await start({ docs: false })).request('GET /');
  expect(getProblem(off).detail).toContain('and /v1/sessions.');
  expect(getProblem(off).detail).not.toContain('/docs');
});

it.each([
  '/docs/assets',
  '/docs/assets/',
  '/docs/assets/page.js',
  `/docs/assets/${encodeURIComponent('../index.html')}`,
  `/docs/assets/${encodeURIComponent('../../../package.json')}`,
  '/docs/index.html',
  '/openapi.yaml',
])('%s does not exist, for any method', async (path) => {
  const service = await start();
  for (const method of ['GET', 'POST']) {
    const got = await service.request(`${method} ${path}`);
    expect(getProblem(got).code).toBe('route_not_found');
    expect(got.headers.get('cache-control')).toBe('no-store');
  }
});

it('the API reference can be turned off', async () => {
  const service = await start({ docs: false });
  for (const path of ['/docs', ...documents.map(([path]) => path)]) {
    expect(getProblem(await service.request(`GET ${path}`)).code).toBe('route_not_found');
  }
});

it('the API reference is a 503 while the server shuts down', async () => {
  for (const path of ['/docs', '/openapi.json', '/docs/assets/page.js']) {
    const service = await startService();
    const pending = await service.openConnection();
    await pending.send(`GET ${path} HTTP/1.1\r\nHost: x\r\n`);
    // A response on another connection shows that these bytes have arrived.
    await service.request('GET /livez');
    const closed = service.close();
    await pending.send('\r\n');
    const response = await pending.response;
    expect(response).toContain('HTTP/1.1 503 ');
    expect(response).toContain('"code":"shutting_down"');
    await closed;
  }
});
