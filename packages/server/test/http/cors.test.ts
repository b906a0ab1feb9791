import { afterAll, describe, expect, test } from 'vitest';
import { startService } from './service';

const page = 'https://app.example';
const service = await startService({ corsOrigins: [page] });
const closed = await startService();
const open = await startService({ corsOrigins: ['*'] });
afterAll(() => Promise.all([service.close(), closed.close(), open.close()]));

const preflight = (url: string, origin = page) =>
  fetch(`${url}/v1/orders`, {
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers':
        'authorization,content-type,idempotency-key,traceparent,user-agent',
    },
  });

describe('with --cors-origin', () => {
  test('a preflight request of that origin is allowed, without an API key', async () => {
    const { status, headers } = await preflight(service.url);
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(page);
    expect(headers.get('access-control-allow-methods')).toContain('PATCH');
    expect(headers.get('access-control-allow-headers')?.toLowerCase()).toMatch(
      /authorization.*idempotency-key.*traceparent.*user-agent/,
    );
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('vary')).toMatch(/origin/i);
  });

  test('a page may read errors too, with their headers', async () => {
    const response = await fetch(`${service.url}/v1/orders`, { headers: { Origin: page } });
    expect(response.status).toBe(401);
    expect(response.headers.get('access-control-allow-origin')).toBe(page);
    const exposed = response.headers.get('access-control-expose-headers');
    const names = [
      'ETag',
      'X-Request-Id',
      'Retry-After',
      'Tradepost-Changed',
      'Tradepost-Extensions',
      'Tradepost-Order-Version',
    ];
    for (const name of [...names, 'Tradepost-Idempotency']) expect(exposed).toContain(name);
  });

  test('another origin gets no permission', async () => {
    const { headers } = await preflight(service.url, 'https://evil.example');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  test('* allows every origin', async () => {
    const { headers } = await preflight(open.url, 'https://any.example');
    expect(headers.get('access-control-allow-origin')).toBe('*');
  });
});

const several = await startService({ corsOrigins: [page, 'https://admin.example'] });
afterAll(() => several.close());

const listVaried = ({ headers }: Response) =>
  (headers.get('vary') ?? '').toLowerCase().split(/, */).filter(Boolean);

/** Paths of responses that caches may keep: the OpenAPI documents, the pages, and some of their assets. */
async function listCacheable(): Promise<string[]> {
  const html = await (await fetch(`${service.url}/docs`)).text();
  const assets = [...html.matchAll(/(?:src|href)="(docs\/assets\/[^"]+)"/g)];
  expect(assets.length).toBeGreaterThan(0);
  const documents = ['/openapi.json', '/openapi-3.0.json', '/openapi-tolerant.json'];
  return [
    ...[...documents, '/docs', '/docs/', '/console', '/console/favicon.svg'],
    ...assets.map(([, path]) => `/${path}`),
  ];
}

describe('a response that a cache may keep', () => {
  test.each([
    ['one origin', service],
    ['several origins', several],
  ])('says with %s that it depends on the origin, also without one', async (_name, { url }) => {
    for (const path of await listCacheable()) {
      for (const headers of [{}, { Origin: page }, { Origin: 'https://evil.example' }]) {
        const response = await fetch(url + path, { headers, redirect: 'manual' });
        expect(response.status, path).toBeLessThan(400);
        expect(listVaried(response), path).toContain('origin');
        if (response.status === 200) expect(listVaried(response)).toContain('accept-encoding');
        // A connection with an unread body stays open.
        await response.arrayBuffer();
      }
    }
  });

  test('depends on no origin if all are allowed or none', async () => {
    for (const { url } of [open, closed]) {
      for (const path of await listCacheable()) {
        const response = await fetch(url + path, { redirect: 'manual' });
        expect(listVaried(response), path).not.toContain('origin');
        await response.arrayBuffer();
      }
    }
  });
});

test('without --cors-origin there are no CORS headers', async () => {
  for (const response of [await preflight(closed.url), await fetch(`${closed.url}/v1/orders`)]) {
    const names = [...response.headers.keys()];
    expect(names.filter((name) => name.startsWith('access-control'))).toEqual([]);
    await response.arrayBuffer();
  }
});
