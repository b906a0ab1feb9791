import { expect, it } from 'vitest';
import { describeProxy, findProxy } from '../../src/config/settings';

const url = 'http://proxy.example:3128';
const other = 'http://other.example:8080';
const service = 'https://api.trade.example';

it.each<[baseUrl: string, env: Record<string, string>, proxy: string | null]>([
  [service, {}, null],
  [service, { HTTPS_PROXY: url }, `${url} (HTTPS_PROXY)`],
  [service, { HTTPS_PROXY: '' }, null],
  [service, { HTTP_PROXY: url }, null],
  [service, { HTTPS_PROXY: other, https_proxy: url }, `${url} (https_proxy)`],
  [service, { HTTPS_PROXY: 'https://u:p@proxy.example' }, 'https://proxy.example (HTTPS_PROXY)'],
  [service, { HTTPS_PROXY: 'proxy.example:3128' }, `${url} (HTTPS_PROXY)`],
  ['http://trade.example', { HTTPS_PROXY: other, HTTP_PROXY: url }, `${url} (HTTP_PROXY)`],
  ['http://localhost:4010', { HTTP_PROXY: url }, null],
  ['https://127.0.0.1:4010', { HTTPS_PROXY: url }, null],
  ['no URL', { HTTPS_PROXY: url }, null],
])('for %s and %j the proxy is %s', (baseUrl, env, expected) => {
  const proxy = findProxy(env, baseUrl);
  expect(proxy && describeProxy(proxy)).toBe(expected);
});

it.each([
  ['api.trade.example', true],
  ['API.Trade.Example', true],
  ['trade.example', true],
  ['.trade.example', true],
  ['*.trade.example', true],
  ['a.example, trade.example', true],
  ['a.example trade.example', true],
  ['*', true],
  ['trade.example:443', true],
  ['trade.example:8443', false],
  ['e.example', false],
  ['www.api.trade.example', false],
  ['', false],
  [',', false],
])('NO_PROXY=%s excludes the service: %s', (list, isExcluded) => {
  for (const name of ['NO_PROXY', 'no_proxy']) {
    const proxy = findProxy({ HTTPS_PROXY: url, [name]: list }, service);
    expect(proxy === null).toBe(isExcluded);
  }
});
