import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { expect, it, onTestFinished, vi } from 'vitest';
import { CapturedLog } from '../helpers/captured-log';
import {
  expectUnavailableWhileStopping,
  getRaw,
  type Service,
  startForTest,
  testServedFiles,
} from './served-files';
import { getProblem } from './service';

/** Addresses of pages, from the shallowest to the deepest that is served. */
const pages = ['/console', '/console/', '/console/orders/ord_1', '/console/a/b/c/d/e/f/g/h/i'];

/** Resolves an address of a page as a browser does, and returns its path. */
function resolvePath(relative: string, page: string): string {
  return new URL(relative, `http://any.example${page}`).pathname;
}

/** Lists the files that a page refers to, by their paths. */
async function listReferences(service: Service, page: string): Promise<string[]> {
  const { text } = await service.request(`GET ${page}`);
  const references = [...text.matchAll(/(?:src|href)="([^"]+)"/g)];
  return references.map(([, relative = '']) => resolvePath(relative, page));
}

/** Returns the directives of the security policy of a response. */
const readPolicy = ({ headers }: Pick<Response, 'headers'>) =>
  headers.get('content-security-policy')?.split(';');

testServedFiles({
  name: 'the console',
  listPaths: async (service) => [...pages, ...new Set(await listReferences(service, '/console'))],
  chooseCoding: (path) => (pages.includes(path) ? 'gzip' : 'br'),
});

it('every address is the same page, and refers to the same files by relative paths', async () => {
  const service = await startForTest();
  const known = await listReferences(service, '/console/');
  expect(known).toContain('/console/favicon.svg');
  expect(known.filter((path) => path.startsWith('/console/assets/')).length).toBeGreaterThan(1);
  for (const page of pages) {
    const got = await service.request(`GET ${page}`);
    expect(got.status).toBe(200);
    expect(got.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(got.headers.get('cache-control')).toBe('no-cache');
    // Below a path prefix of a proxy, only relative paths lead to the server.
    expect(got.text).not.toMatch(/(src|href)="(\/|https?:)/);
    expect(await listReferences(service, page)).toEqual(known);
  }
});

it('assets have a hash in their names and are stored for ever, the icon is checked', async () => {
  const service = await startForTest();
  const types: Record<string, string> = {
    css: 'text/css; charset=utf-8',
    js: 'text/javascript; charset=utf-8',
    svg: 'image/svg+xml',
  };
  for (const path of await listReferences(service, '/console')) {
    const got = await service.request(`GET ${path}`);
    expect(got.status).toBe(200);
    expect(got.headers.get('content-type')).toBe(types[path.slice(path.lastIndexOf('.') + 1)]);
    expect(got.headers.get('x-content-type-options')).toBe('nosniff');
    const isAsset = path.startsWith('/console/assets/');
    if (isAsset) expect(path).toMatch(/-[\w-]{8}\.(js|css)$/);
    expect(got.headers.get('cache-control')).toBe(
      isAsset ? 'public, max-age=31536000, immutable' : 'no-cache',
    );
  }
});

it('the page runs only its own scripts, is never framed, and says nothing of where it was', async () => {
  const service = await startForTest();
  for (const page of pages) {
    const got = await service.request(`GET ${page}`);
    expect(readPolicy(got)).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(got.headers.get('referrer-policy')).toBe('no-referrer');
    expect(got.headers.get('x-content-type-options')).toBe('nosniff');
  }
  expect(readPolicy(await service.request('GET /livez'))).toContain("default-src 'self'");
});

it.each([
  ['this machine', { Host: 'localhost:4010' }, 'same-origin'],
  ['its address', { Host: '127.0.0.1:4010' }, 'same-origin'],
  ['HTTPS at a proxy', { Host: 'trade.example', 'X-Forwarded-Proto': 'https' }, 'same-origin'],
  ['plain HTTP at another host', { Host: 'trade.example' }, undefined],
  ['a host that begins like this machine', { Host: 'localhost.example' }, undefined],
])(
  'the page is isolated from its opener where browsers allow it: %s, %o',
  async (_where, headers, policy) => {
    const got = await getRaw(await startForTest(), '/console/orders', headers);
    expect(got.headers['cross-origin-opener-policy']).toBe(policy);
  },
);

it.each([
  '/console/assets/index.js',
  '/console/assets/index.html',
  `/console/assets/${encodeURIComponent('../index.html')}`,
  `/console/assets/${encodeURIComponent('../../../package.json')}`,
  '/console/a/b/c/d/e/f/g/h/i/j',
])('%s does not exist', async (path) => {
  const got = await (await startForTest()).request(`GET ${path}`);
  expect(getProblem(got).code).toBe('route_not_found');
  expect(got.headers.get('cache-control')).toBe('no-store');
});

it('no compressed copy, notices or list of licenses has an address of its own', async () => {
  const service = await startForTest();
  const [asset] = (await listReferences(service, '/console')).filter((path) =>
    path.endsWith('.js'),
  );
  for (const suffix of ['.br', '.gz']) {
    const got = await service.request(`GET ${asset}${suffix}`);
    expect(getProblem(got).code).toBe('route_not_found');
  }
  const { text } = await service.request('GET /console/');
  for (const name of ['THIRD-PARTY-NOTICES.txt', 'favicon.svg.br', 'index.html']) {
    expect((await service.request(`GET /console/${name}`)).text).toBe(text);
  }
});

it('a name that only begins like the console is not the console', async () => {
  const got = await (await startForTest()).request('GET /consoles');
  expect(getProblem(got).code).toBe('route_not_found');
});

it('the console can be turned off', async () => {
  const service = await startForTest({ console: false });
  for (const path of [...pages, '/console/favicon.svg']) {
    expect(getProblem(await service.request(`GET ${path}`)).code).toBe('route_not_found');
  }
  expect((await service.request('GET /docs')).status).toBe(200);
});

it.each([...pages, '/console/favicon.svg', '/console/assets/index.js'])(
  '%s is a 503 while the server shuts down',
  expectUnavailableWhileStopping,
);

it('files of the build are read at the first request, and once', async () => {
  const read = vi.spyOn(fs, 'readFile');
  syncBuiltinESMExports();
  onTestFinished(() => {
    read.mockRestore();
    syncBuiltinESMExports();
  });
  const service = await startForTest();
  const listRead = () =>
    read.mock.calls.map(([file]) => String(file)).filter((file) => file.includes('dist/console'));
  expect(listRead()).toEqual([]);
  const paths = ['/console/orders', ...(await listReferences(service, '/console/orders'))];
  for (const path of paths) await service.request(`GET ${path}`);
  const first = listRead();
  expect(first.length).toBeGreaterThanOrEqual(paths.length);
  for (const path of paths) await service.request(`GET ${path}`);
  // Another page of the same depth is the same text.
  await service.request('GET /console/events');
  expect(listRead()).toEqual(first);
});

it('all pages have one route in the log and in metrics, and the code of a link stays in the browser', async () => {
  const logs = new CapturedLog();
  const routes: (string | null)[] = [];
  const service = await startForTest({
    log: logs.log,
    onRequestCompleted: ({ route }) => void routes.push(route),
  });
  for (const page of [...pages, '/console/sign-in#tpc_code-of-a-link']) {
    await service.request(`GET ${page}`);
    const path = page.replace(/#.*/, '');
    expect(await logs.next('request')).toMatchObject({ path, route: '/console{/{*path}}' });
  }
  expect(new Set(routes)).toEqual(new Set(['/console{/{*path}}']));
  expect(logs.text.join('')).not.toMatch(/code-of-a-link|tpc_/);
});
