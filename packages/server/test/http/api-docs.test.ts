import openApi31 from '@tradepost/contract/openapi.json' with { type: 'json' };
import openApi30 from '@tradepost/contract/openapi-3.0.json' with { type: 'json' };
import openApiTolerant from '@tradepost/contract/openapi-tolerant.json' with { type: 'json' };
import { expect, it } from 'vitest';
import {
  expectUnavailableWhileStopping,
  getRaw,
  type Service,
  startForTest as start,
  testServedFiles,
} from './served-files';
import { getProblem } from './service';

const documents = [
  ['/openapi.json', openApi31],
  ['/openapi-3.0.json', openApi30],
  ['/openapi-tolerant.json', openApiTolerant],
] as const;

async function listAssets(service: Service): Promise<string[]> {
  const { text } = await service.request('GET /docs');
  return [...text.matchAll(/"(docs\/assets\/[^"]+)"/g)].map(([, path]) => `/${path}`);
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

testServedFiles({
  name: 'the API reference',
  listPaths: async (service) => [
    ...documents.map(([path]) => path),
    '/docs',
    ...(await listAssets(service)),
  ],
  chooseCoding: () => 'gzip',
});

it('/docs/ leads to the page, whatever is before its path', async () => {
  const service = await start();
  const got = await getRaw(service, '/docs/', {});
  expect([got.status, got.headers.location]).toEqual([308, '../docs']);
  const rejected = await service.request('POST /docs/');
  expect(getProblem(rejected).code).toBe('method_not_allowed');
});

it.each([
  [{}, '; /docs describes it, and /console is a web page for it.'],
  [{ console: false }, '; /docs describes it.'],
  [{ docs: false }, '; /console is a web page for it.'],
  [{ docs: false, console: false }, '.'],
])('a path that does not exist names the pages that there are, with %o', async (options, end) => {
  const got = await (await start(options)).request('GET /');
  expect(getProblem(got).detail.endsWith(`and /v1/sessions${end}`)).toBe(true);
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

it.each(['/docs', '/openapi.json', '/docs/assets/page.js'])(
  '%s is a 503 while the server shuts down',
  expectUnavailableWhileStopping,
);
