import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { aProblem, BareService } from '../helpers/minimal-service';

/** A service whose list of orders has three pages, the last one empty. */
async function startPages() {
  const service = await BareService.start();
  const pages = new Map([
    [undefined, { data: [anOrder({ id: 'ord_1' }), anOrder({ id: 'ord_2' })], nextCursor: 'a' }],
    ['a', { data: [anOrder({ id: 'ord_3' })], nextCursor: 'b' }],
    ['b', { data: [], nextCursor: null }],
  ]);
  service.instead = ({ query }) => ({ status: 200, body: pages.get(query.cursor) });
  return service;
}

describe('api', () => {
  it('prints the body of the response as it is', async () => {
    const service = await BareService.start();
    service.orders = [anOrder()];
    const { exitCode, stdout, stderr } = await service.cli([
      'api',
      'get',
      '/v1/orders?limit=5',
      '--query',
      'status=pending',
      '--header',
      'x-trace: 1',
    ]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ data: [anOrder()] });
    expect(service.seen).toMatchObject([
      {
        method: 'GET',
        path: '/v1/orders',
        query: { limit: '5', status: 'pending' },
        headers: { 'x-trace': '1', authorization: 'Bearer tpk_test' },
      },
    ]);
  });

  it('sends fields as a JSON body, with the types of JSON', async () => {
    const service = await BareService.start();
    service.instead = ({ body }) => ({ status: 200, body });
    const fields = ['n=-1.5', 'big=12345678901234567890', 't=true', 'none=null', 'text=a=b', 'e='];
    const { stdout } = await service.cli([
      'api',
      'PATCH',
      '/v1/things/1',
      ...fields.flatMap((field) => ['--field', field]),
      '--output',
      'ndjson',
    ]);
    expect(JSON.parse(stdout)).toEqual({
      n: -1.5,
      big: '12345678901234567890',
      t: true,
      none: null,
      text: 'a=b',
      e: '',
    });
  });

  it('sends the body of a file, or of stdin', async () => {
    const service = await BareService.start();
    service.instead = ({ body }) => ({ status: 200, body });
    const folder = mkdtempSync(join(tmpdir(), 'tradepost-api-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'body.json');
    writeFileSync(file, '{"a":[1]}');
    const post = ['api', 'POST', '/v1/things', '--output', 'ndjson', '--input'];
    expect(await service.cli([...post, file])).toMatchObject({ stdout: '{"a":[1]}\n' });
    writeFileSync(file, '\ufeff{"a":[2]}', 'utf16le');
    expect(await service.cli([...post, file])).toMatchObject({ stdout: '{"a":[2]}\n' });
    const fromStdin = await service.cli([...post, '-'], { input: '{"b":2}' });
    expect(fromStdin.stdout).toBe('{"b":2}\n');
    const sent = service.seen.length;
    const invalid = await service.cli([...post, '-'], { input: '{"b":' });
    expect(invalid).toMatchObject({ exitCode: 2, stdout: '' });
    expect(invalid.stderr).toContain('Stdin is not JSON');
    expect(service.seen).toHaveLength(sent);
  });

  it.each([
    [{ status: 204, body: undefined }, ''],
    [{ status: 200, body: 'plain', headers: { 'content-type': 'text/plain' } }, 'plain'],
    [{ status: 200, body: [1, 'two'] }, '[\n  1,\n  "two"\n]\n'],
  ])('prints a body that is no object: %j', async (response, printed) => {
    const service = await BareService.start();
    service.instead = () => response;
    const { exitCode, stdout } = await service.cli(['api', 'POST', '/v1/things']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: printed });
  });

  it.each(['v1/things?a=b', 'C:/Program Files/Git/v1/things?a=b', 'd:/msys64/v1/things?a=b'])(
    'takes %s for /v1/things?a=b',
    async (path) => {
      const service = await BareService.start();
      service.instead = () => ({ status: 200, body: {} });
      expect((await service.cli(['api', 'GET', path])).exitCode).toBe(0);
      expect(service.seen).toMatchObject([{ path: '/v1/things', query: { a: 'b' } }]);
    },
  );

  it.each([aProblem(404, 'route_not_found'), { status: 404, body: '<h1>Not Found</h1>' }])(
    'blames the path that the service does not have, not the base URL: %j',
    async (response) => {
      const service = await BareService.start();
      service.instead = () => response;
      for (const more of [[], ['--paginate']]) {
        const { exitCode, stderr } = await service.cli(['api', 'GET', '/v1/nothing', ...more]);
        expect(exitCode).toBe(2);
        expect(stderr).toContain('hint: The service does not have this path: check it.\n');
      }
    },
  );

  it('escapes a body that is no JSON on a terminal, and changes nothing on a pipe', async () => {
    const service = await BareService.start();
    const body = 'a\tb\n\u001b[2J\u009b1m\u202e\r\n';
    service.instead = () => ({ status: 200, body, headers: { 'content-type': 'text/plain' } });
    const argv = ['api', 'GET', '/v1/things'];
    expect((await service.cli(argv)).stdout).toBe(body);
    const { stdout } = await service.cli(argv, { screen: { columns: 80 } });
    expect(stdout).toBe('a\tb\n\\u001b[2J\\u009b1m\\u202e\\u000d\n');
  });

  it('reports an error of the service as every command does', async () => {
    const service = await BareService.start();
    service.instead = () => aProblem(409, 'invalid_transition');
    const { exitCode, stdout, stderr } = await service.cli(['api', 'PATCH', '/v1/orders/ord_1']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 6, stdout: '' });
    expect(stderr).toContain('Detail of invalid_transition.');
  });

  it('prints status and headers on stderr with --include', async () => {
    const service = await BareService.start();
    service.instead = () => ({ status: 201, body: {}, headers: { 'x-request-id': 'req_1' } });
    const { stdout, stderr } = await service.cli(['api', 'POST', '/v1/things', '--include']);
    expect(stdout).toBe('{}\n');
    expect(stderr).toMatch(/^HTTP 201\n/);
    expect(stderr).toContain('\nx-request-id: req_1\n');
  });

  it('prints one array of the items of all pages with --paginate', async () => {
    const service = await startPages();
    const list = ['api', 'GET', '/v1/orders', '--paginate'];
    const { exitCode, stdout } = await service.cli(list);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).map(({ id }: { id: string }) => id)).toEqual([
      'ord_1',
      'ord_2',
      'ord_3',
    ]);
    expect((await service.cli([...list, '--jq', 'length'])).stdout).toBe('3\n');
    const lines = await service.cli([...list, '--output', 'ndjson']);
    expect(lines.stdout.trimEnd().split('\n')).toHaveLength(3);
  });

  it('goes on after a page of events without items if more may follow', async () => {
    const service = await BareService.start();
    service.instead = ({ query: { after = 'c0' } }) => {
      const page =
        after === 'c0' ? { data: [], hasMore: true } : { data: [anOrder()], hasMore: false };
      return { status: 200, body: { ...page, nextCursor: after === 'c0' ? 'c1' : 'c2' } };
    };
    const argv = ['api', 'GET', '/v1/events', '--paginate', '--jq', 'length'];
    expect((await service.cli(argv)).stdout).toBe('1\n');
    expect(service.seen).toHaveLength(2);
  });

  it('leaves the array open if a later page fails, and reports it', async () => {
    const service = await startPages();
    const pages = service.instead;
    service.instead = (request) =>
      request.query.cursor === 'a' ? aProblem(403, 'read_only_key') : pages(request);
    const { exitCode, stdout } = await service.cli(['api', 'GET', '/v1/orders', '--paginate']);
    expect(exitCode).toBe(4);
    expect(stdout).toContain('ord_2');
    expect(() => JSON.parse(stdout)).toThrow();
  });

  it('ends a list whose cursor leads back to an earlier page', async () => {
    const service = await BareService.start();
    service.instead = () => ({ status: 200, body: { data: [{}], nextCursor: 'a' } });
    const { exitCode, stderr } = await service.cli(['api', 'GET', '/v1/orders', '--paginate']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('returned the cursor of an earlier page');
  });

  it.each([
    [['fetch', '/v1/orders'], 'Use one of: GET, POST'],
    [
      ['GET', 'https://elsewhere.example/v1/orders'],
      'a path of the service that begins with one /',
    ],
    [['GET', '//elsewhere.example'], 'a path of the service that begins with one /'],
    [['GET', '/v1/orders/../keys'], 'path must start with'],
    [['GET'], "Missing required argument 'path'"],
    [['GET', '/v1/orders', '--query', 'status'], 'Use name=value.'],
    [['GET', '/v1/orders', '--header', 'a\nb: c'], 'Use name:value'],
    [['GET', '/v1/orders', '--field', 'a=1'], 'A GET has no body'],
    [['POST', '/v1/orders', '--field', 'a=1', '--input', '-'], 'with --field or --input, not both'],
    [['POST', '/v1/orders', '--input', '/nonexistent'], 'directory: /nonexistent'],
    [['POST', '/v1/orders', '--paginate'], '--paginate needs GET'],
    [['GET', '/v1/orders?cursor=a', '--paginate'], '--paginate sets the cursor itself'],
    [['GET', '/v1/orders', '--output', 'csv'], '--output csv is not supported'],
    [['GET', '/v1/orders', '--fields', 'id'], '--fields is not supported'],
  ])('rejects %j before anything is sent', async (args, message) => {
    const service = await BareService.start();
    const { exitCode, stdout, stderr } = await service.cli(['api', ...args]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(service.seen).toEqual([]);
  });
});
