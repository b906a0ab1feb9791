import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { aProblem, BareService, type StubResponse } from '../helpers/minimal-service';
import { runCli } from '../helpers/run-cli';

const argv = ['orders', 'set-status', 'ord_1', 'completed'];
const order = anOrder({ id: 'ord_1', status: 'fulfilling' });

/** Starts a service with an order whose changes get this response. */
async function startRejecting(response: StubResponse): Promise<BareService> {
  const service = await BareService.start();
  service.orders = [order];
  service.instead = ({ method }) => (method === 'PATCH' ? response : undefined);
  return service;
}

describe('a failure of the service', () => {
  it('names what failed, why, what to do, and the request ID', async () => {
    const service = await startRejecting(
      aProblem(409, 'invalid_transition', {
        title: 'The order cannot move to that status',
        detail: 'The order is pending.',
      }),
    );
    expect(await service.cli(argv)).toEqual({
      exitCode: 6,
      stdout: '',
      stderr: [
        'error: The order cannot move to that status',
        '  The order is pending.',
        '  PATCH /v1/orders/ord_1 returned 409 invalid_transition',
        'hint: To see the order, run `tradepost orders get ord_1`.',
        'request ID: req_1',
        '',
      ].join('\n'),
    });
  });

  it('is one JSON object on stderr with JSON output', async () => {
    const errors = [{ path: 'status', message: 'must be one of …' }];
    const service = await startRejecting(aProblem(422, 'validation_failed', { errors }));
    const { exitCode, stdout, stderr } = await service.cli([...argv, '--output', 'ndjson']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'validation_failed',
        message:
          'PATCH /v1/orders/ord_1 failed with 422 validation_failed: Detail of validation_failed. (request req_1)',
        status: 422,
        requestId: 'req_1',
        hint: null,
        errors,
      },
    });
  });

  it('is text on a terminal if only --jq implies JSON, and JSON everywhere else', async () => {
    const service = await BareService.start();
    service.instead = () => aProblem(404, 'order_not_found');
    const screen = { columns: 100 };
    const line = ['orders', 'get', 'ord_1', '--jq', '.id'];
    const text = await service.cli(line, { screen });
    expect(text).toMatchObject({ exitCode: 5, stdout: '' });
    expect(text.stderr).toMatch(/^error: Title of order_not_found\n {2}Detail.*\n/);
    for (const [more, setting] of [
      [[], {}],
      [['--output', 'json'], { screen }],
      [['--output', 'ndjson'], { screen }],
    ] as const) {
      const { stderr } = await service.cli([...line, ...more], setting);
      expect(JSON.parse(stderr).error.code).toBe('order_not_found');
    }
    const group = await service.cli(['orders', '--jq', '.id'], { screen });
    expect(group.stderr).toMatch(/error: Missing command after `tradepost orders`/);
  });

  it('lists what was wrong, field by field', async () => {
    const service = await BareService.start();
    const errors = [{ path: 'url', message: 'must be https' }];
    service.instead = () => aProblem(422, 'validation_failed', { errors });
    const { stderr } = await service.cli(argv);
    expect(stderr.split('\n').slice(0, 3)).toEqual([
      'error: Title of validation_failed',
      '  Detail of validation_failed.',
      '  url: must be https',
    ]);
  });

  it('shows no terminal control characters', async () => {
    const service = await BareService.start();
    const nasty = 'a\u001b[2J\u202eb\r\nc\u009b';
    service.instead = () =>
      aProblem(422, `x${nasty}`, {
        title: nasty,
        detail: nasty,
        requestId: nasty,
        errors: [{ path: nasty, message: nasty }],
      });
    for (const output of ['table', 'json', 'csv']) {
      const { stderr } = await service.cli([...argv, '--output', output]);
      expect(stderr.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
    }
  });

  it.each([
    [400, 'malformed_json', 1],
    [401, 'invalid_api_key', 4],
    [403, 'account_kind_not_allowed', 4],
    [404, 'order_not_found', 5],
    [404, 'notification_not_found', 5],
    [404, 'route_not_found', 2],
    [404, 'a_code_of_tomorrow', 5],
    [405, 'method_not_allowed', 1],
    [409, 'invalid_transition', 6],
    [412, 'precondition_failed', 6],
    [422, 'validation_failed', 1],
    [501, 'internal_error', 1],
  ])('%i %s exits %i', async (status, code, exitCode) => {
    const service = await BareService.start();
    service.instead = () => aProblem(status, code);
    expect((await service.cli(argv)).exitCode).toBe(exitCode);
  });

  it.each([
    [401, 4, 'The API key may be'],
    [403, 4, 'This key is not allowed'],
    [404, 5, 'Check the ID'],
    [409, 6, 'To see the order, run `tradepost orders get ord_1`'],
    [412, 6, 'It was changed by another client'],
  ])('%i without a problem exits %i, too, with a hint', async (status, exitCode, hint) => {
    const service = await BareService.start();
    service.instead = () => ({ status, body: '' });
    const result = await service.cli(argv);
    expect(result.exitCode).toBe(exitCode);
    expect(result.stderr).toContain(`hint: ${hint}`);
  });

  it.each(['ord_1', 'ord_a-b.c~d=e+f:g'])('names the whole id in its hint: %s', async (id) => {
    const service = await BareService.start();
    service.instead = () => aProblem(409, 'invalid_transition');
    const { stderr } = await service.cli(['orders', 'set-status', id, 'confirmed']);
    expect(stderr).toContain(`hint: To see the order, run \`tradepost orders get ${id}\`.\n`);
  });

  it.each([
    [['events', 'list'], aProblem(404, 'route_not_found')],
    [['webhooks', 'list'], aProblem(404, 'a_code_of_tomorrow')],
    [['webhooks', 'pause', 'whk_1'], aProblem(405, 'method_not_allowed')],
    [['webhooks', 'explain', 'dlv_1'], aProblem(404, 'route_not_found')],
  ])('reports that a service may lack %j', async (argv, reply) => {
    const service = await BareService.start();
    service.instead = () => reply;
    const { stderr } = await service.cli(argv);
    expect(stderr).toMatch(
      /hint: This needs the extension \S+ of the API, which this service does not have\./,
    );
  });

  it.each([
    [['orders', 'list']],
    [['notifications', 'list']],
    [['webhooks', 'register', '--url', 'https://a.example', '--events', 'order.created']],
  ])('%j without such a path exits 2 and advises to check the base URL', async (list) => {
    const service = await BareService.start();
    const replies = [
      { status: 404, body: '<html>Not found</html>' },
      aProblem(404, 'a_code_of_tomorrow'),
      aProblem(404, 'route_not_found'),
    ];
    for (const reply of replies) {
      service.instead = () => reply;
      const { exitCode, stdout, stderr } = await service.cli(list);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toContain('hint: Check TRADEPOST_BASE_URL or --base-url');
    }
  });

  it('marks no further notification as read if the path does not exist', async () => {
    const service = await BareService.start();
    service.instead = () => aProblem(404, 'route_not_found');
    const { exitCode } = await service.cli(['notifications', 'read', 'ntf_1', 'ntf_2']);
    expect(exitCode).toBe(2);
    expect(service.seen).toHaveLength(1);
  });

  it.each([
    [
      { status: 400, body: 'no\n\u0007baseUrl ' },
      'failed with 400, and its body is not a problem document: no baseUrl\n',
      'Check TRADEPOST_BASE_URL or --base-url: it must be the address of the service itself, without /v1.',
    ],
    [
      { status: 401, body: '{"error":"no apiKey"}' },
      'failed with 401, and its body is not a problem document: {"error":"no apiKey"}\n',
      'Check TRADEPOST_API_KEY, or run `tradepost login`.',
    ],
    [
      { status: 200, body: `<p>${'x'.repeat(20_000)}` },
      `returned 200, but its body is not the expected JSON: <p>${'x'.repeat(197)}…\n`,
      'Check TRADEPOST_BASE_URL or --base-url: it must be the address of the service itself, without /v1.',
    ],
    [
      { status: 200, body: '<p>whk_1 has the signing secret abcdefgh</p>' },
      'returned 200, but its body is not the expected JSON: (not shown: may have a secret)\n',
      'Check TRADEPOST_BASE_URL or --base-url: it must be the address of the service itself, without /v1.',
    ],
    [
      { status: 307, body: '', headers: { location: 'https://a.example/baseUrl' } },
      'was redirected to https://a.example/baseUrl. The redirect was not followed, so that the API key is not sent elsewhere\n',
      'Check TRADEPOST_BASE_URL or --base-url: it must be the address of the service itself, without /v1.',
    ],
    [
      { status: 429, body: '', headers: { 'retry-after': '3600' } },
      'failed with 429, and its body is not a problem document: an empty body\n',
      'Too many requests. Try again in 3600 s.',
    ],
    [
      { status: 400, body: undefined },
      'failed with 400, and its body is not a problem document: an empty body\n',
      'hint: Check the values.\n',
    ],
    [
      { status: 400, body: { message: 'no such field' } },
      'failed with 400, and its body is not a problem document: {"message":"no such field"}\n',
      'hint: Check the values.\n',
    ],
    [
      { status: 422, body: 'quantity must be positive' },
      'failed with 422, and its body is not a problem document: quantity must be positive\n',
      null,
    ],
  ])(
    'quotes a response that is not of the service, with a hint: %j',
    async (response, text, hint) => {
      const service = await startRejecting(response);
      const { stderr } = await service.cli(argv);
      expect(stderr).toContain(`error: PATCH /v1/orders/ord_1 ${text}`);
      expect(stderr).not.toMatch(/(Check|set) (that )?(baseUrl|apiKey)/);
      if (hint === null) expect(stderr).not.toContain('hint:');
      else expect(stderr).toContain(hint);
    },
  );

  it('reports that a service may lack an extension whose path gets 404 without a problem', async () => {
    const service = await BareService.start();
    service.instead = () => ({ status: 404, body: '{"error":"not found"}' });
    const { exitCode, stderr } = await service.cli(['webhooks', 'pause', 'whk_1']);
    expect(exitCode).toBe(5);
    expect(stderr).toMatch(
      /hint: This needs the extension \S+ of the API, which this service does not have\./,
    );
  });

  it('prints no key and no secret that the service quotes', async () => {
    const service = await BareService.start();
    const key = 'tpk_3fQxA9c0ZkV1mP7sT2uW4yB6dE8gH5jK';
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const quoted = `${key} and "${secret}"`;
    const errors = [{ path: key, message: quoted }];
    const more = { title: quoted, detail: quoted, requestId: key, errors };
    const replies = [
      [aProblem(422, key, more), ['tpk_…', 'whsec_…']],
      [{ status: 418, body: key }, ['tpk_…']],
      [{ status: 418, body: quoted }, ['(not shown: may have a secret)']],
    ] as const;
    for (const [reply, shown] of replies) {
      service.instead = () => reply;
      for (const output of ['table', 'json', 'ndjson', 'csv']) {
        const { stderr } = await service.cli([...argv, '--output', output]);
        expect(stderr).not.toMatch(/(tpk|whsec)_\w/);
        for (const part of shown) expect(stderr).toContain(part);
      }
    }
  });

  it.each([502, 503, 504])('%i exits 9 once the retries are used up', async (status) => {
    const service = await BareService.start();
    service.instead = () => ({ status, body: '<html>Bad gateway</html>' });
    const result = await service.cli(argv);
    expect(result.exitCode).toBe(9);
    expect(result.stderr).toContain('<html>Bad gateway</html>');
    expect(service.seen.length).toBeGreaterThan(1);
  });

  const changes = [
    argv,
    ['orders', 'set-status', 'ord_1', 'ord_2', 'completed', '--yes', '--no-journal'],
    ['orders', 'create', '--listing', 'lst_1', '--quantity', '1'],
    ['notifications', 'read', 'ntf_1'],
    ['notifications', 'read', 'ntf_1', 'ntf_2'],
    ['webhooks', 'register', '--url', 'https://a.example', '--events', 'order.created'],
    ['webhooks', 'update', 'whk_1', '--url', 'https://a.example'],
    ['webhooks', 'pause', 'whk_1'],
    ['webhooks', 'resume', 'whk_1'],
    ['webhooks', 'rotate-secret', 'whk_1', '--yes'],
    ['webhooks', 'rotate-secret', 'whk_1', '--promote', '--yes'],
    ['webhooks', 'delete', 'whk_1', '--yes'],
    ['webhooks', 'test', 'whk_1', '--event', 'order.created'],
    ['webhooks', 'replay', 'dlv_1'],
    ['webhooks', 'replay', 'dlv_1', 'dlv_2'],
  ];

  it.each([
    ['overloaded', 1, 'hint: Too many requests. Nothing was changed. Try again in 600 s.'],
    ['shutting_down', 9, 'hint: Nothing was changed. Try again in 600 s.'],
  ])('503 %s exits %i and reports that nothing was changed', async (code, exit, hint) => {
    const service = await BareService.start();
    // Too long for the client to wait: every command sends one change.
    const { headers, ...reply } = aProblem(503, code);
    service.instead = ({ method, path }) =>
      method === 'GET'
        ? { status: 200, body: { data: path.includes('orders') ? order : { id: 'whk_1' } } }
        : { ...reply, headers: { ...headers, 'retry-after': '600' } };
    for (const change of changes) {
      const { exitCode, stderr } = await service.cli(change);
      expect({ change, exitCode, stderr }).toEqual({
        change,
        exitCode: exit,
        stderr: expect.stringContaining(hint),
      });
      expect(stderr).not.toContain('may have been');
    }
    // These read first what they change: the change of one order and of many, a resumption, and a deletion.
    const reads = service.seen.filter(({ method }) => method === 'GET');
    expect(reads.map(({ path }) => path)).toEqual([
      '/v1/orders/ord_1',
      '/v1/orders/ord_1',
      '/v1/webhooks/whk_1',
      '/v1/webhooks/whk_1',
    ]);
    expect(service.seen).toHaveLength(changes.length + reads.length);
  });

  it('503 overloaded exits 1 for a command that only reads, too', async () => {
    const service = await BareService.start();
    const { headers, ...reply } = aProblem(503, 'overloaded');
    service.instead = () => ({ ...reply, headers: { ...headers, 'retry-after': '600' } });
    const { exitCode, stderr } = await service.cli(['orders', 'list']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('hint: Too many requests. Try again in 600 s.');
  });

  it.each([
    ['store_unavailable', aProblem(503, 'store_unavailable')],
    ['no problem', { status: 503, body: 'overloaded' }],
  ])(
    '503 with %s still exits 9 and reports that the change may have been applied',
    async (_, reply) => {
      const service = await startRejecting({ ...reply, headers: { 'retry-after': '600' } });
      const { exitCode, stderr } = await service.cli(argv);
      expect(exitCode).toBe(9);
      expect(stderr).toContain('hint: The change may have been applied');
    },
  );

  it('503 overloaded after a lost response reports that the change may have been applied', async () => {
    const service = await BareService.start();
    service.orders = [order];
    const { headers, ...reply } = aProblem(503, 'overloaded');
    let changes = 0;
    service.instead = ({ method }) => {
      if (method !== 'PATCH') return undefined;
      changes += 1;
      return changes === 1
        ? { status: 502, body: '<html>', headers: { 'retry-after': '0' } }
        : { ...reply, headers: { ...headers, 'retry-after': '600' } };
    };
    const { exitCode, stderr } = await service.cli(argv);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('hint: The change may have been applied');
    expect(stderr).not.toContain('Nothing was changed');
  });

  it('exits 9 when nothing listens', async () => {
    const env = { TRADEPOST_BASE_URL: 'http://127.0.0.1:1' };
    const { exitCode, stdout, stderr } = await runCli([...argv, '--output', 'json'], { env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 9, stdout: '' });
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'connection_failed',
      status: null,
      requestId: null,
    });
  });

  it('exits 1 when the response does not match the contract', async () => {
    const service = await startRejecting({ status: 200, body: '<html>Welcome</html>' });
    const { exitCode, stderr } = await service.cli(argv);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('<html>Welcome</html>');
    expect(stderr).toContain('hint: The change may have been applied');
    expect(stderr).toContain('Check TRADEPOST_BASE_URL or --base-url');
  });
});

describe('an interruption', () => {
  it('aborts the request, exits 130 and reports what may have happened', async () => {
    const service = await BareService.start();
    service.orders = [order];
    const interrupt = new AbortController();
    service.instead = ({ method }) => {
      if (method !== 'PATCH') return undefined;
      interrupt.abort();
      return new Promise(() => {});
    };
    expect(await service.cli(argv, { signal: interrupt.signal })).toEqual({
      exitCode: 130,
      stdout: '',
      stderr: [
        'error: Interrupted',
        'hint: The change may have been applied. Check before you repeat it. Check with `tradepost orders get ord_1`.',
        '',
      ].join('\n'),
    });
  });

  it('keeps finished results, and exits 130', async () => {
    const service = await BareService.start();
    const interrupt = new AbortController();
    service.orders = [anOrder()];
    service.instead = ({ path }) => {
      if (path.endsWith('/ntf_1')) return { status: 200, body: { data: { id: 'ntf_1' } } };
      // Eight are marked at a time, once the first one is.
      if (service.seen.length === 9) interrupt.abort();
      return new Promise(() => {});
    };
    const ids = Array.from({ length: 12 }, (_, index) => `ntf_${index + 1}`);
    const { exitCode, stdout, stderr } = await service.cli(
      ['notifications', 'read', ...ids, '--output', 'json'],
      { signal: interrupt.signal },
    );
    expect(exitCode).toBe(130);
    expect(JSON.parse(stdout)).toEqual([{ id: 'ntf_1' }]);
    expect(JSON.parse(stderr.split('\n').at(-2) ?? '').error).toMatchObject({
      code: 'partial_failure',
      message: 'Marked 1 of 12 notifications as read; 8 failed, 3 not attempted',
      hint: 'The change may have been applied. Check before you repeat it. Check with `tradepost notifications list`.',
    });
  });
});
