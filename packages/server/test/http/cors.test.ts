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
    const names = ['ETag', 'X-Request-Id', 'Retry-After', 'Tradepost-Changed'];
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

test('without --cors-origin there are no CORS headers', async () => {
  for (const response of [await preflight(closed.url), await fetch(`${closed.url}/v1/orders`)]) {
    const names = [...response.headers.keys()];
    expect(names.filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});
