import { describe, expect, it, onTestFinished } from 'vitest';
import { anOrder } from '../../../../../test/helpers/an-order';
import { brokenStream } from '../../helpers/fake-stream';
import { aProblem } from '../../helpers/minimal-service';
import { outcomesOf, startPendingOrders } from '../../helpers/pending-orders';

const set = ['orders', 'set-status'];

describe('orders set-status of several orders', () => {
  it('reads and changes each once, and prints the outcomes in the order of the IDs', async () => {
    const { service, env } = await startPendingOrders(3);
    const { exitCode, stdout, stderr } = await service.cli(
      [...set, 'ord_3', 'ord_1', 'ord_3', 'ord_2', 'confirmed', '--yes', '--output', 'json'],
      { env },
    );
    expect(exitCode).toBe(0);
    expect(outcomesOf(stdout).map(({ id, from, to }) => [id, from, to])).toEqual([
      ['ord_3', 'pending', 'confirmed'],
      ['ord_1', 'pending', 'confirmed'],
      ['ord_2', 'pending', 'confirmed'],
    ]);
    expect(service.seen.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      'GET /v1/orders/ord_1',
      'GET /v1/orders/ord_2',
      'GET /v1/orders/ord_3',
      'PATCH /v1/orders/ord_1',
      'PATCH /v1/orders/ord_2',
      'PATCH /v1/orders/ord_3',
    ]);
    expect(stderr).toMatch(/^Journal: \S+\n3 orders moved to confirmed\.\n$/);
  });

  it('accepts a response without the order, but not one that says another status', async () => {
    const { service, env } = await startPendingOrders(2);
    service.instead = ({ method, path }) => {
      if (method !== 'PATCH') return undefined;
      const isVague = path.endsWith('ord_1');
      return { status: 200, body: isVague ? { ok: true } : { data: anOrder({ id: 'ord_2' }) } };
    };
    const { exitCode, stdout } = await service.cli(
      [...set, 'ord_1', 'ord_2', 'confirmed', '--yes', '--output', 'json'],
      { env },
    );
    expect(exitCode).toBe(7);
    expect(outcomesOf(stdout)).toMatchObject([
      { id: 'ord_1', outcome: 'updated', from: 'pending', to: 'confirmed' },
      {
        id: 'ord_2',
        outcome: 'failed',
        code: 'contract_mismatch',
        message: 'PATCH /v1/orders/ord_2 returned 200 with status pending, not confirmed.',
      },
    ]);
  });

  it('guards each change by the ETag it read, and reads the order again after a 412', async () => {
    const { service, env } = await startPendingOrders(2);
    service.instead = ({ method, path }) => {
      const id = path.split('/').at(-1) ?? '';
      const found = service.orders.find((order) => order.id === id);
      if (method === 'GET') {
        return { status: 200, body: { data: found }, headers: { etag: `"${id}-1"` } };
      }
      if (id !== 'ord_2') return undefined;
      Object.assign(found ?? {}, { status: 'fulfilling' });
      return aProblem(412, 'precondition_failed');
    };
    const { exitCode, stdout } = await service.cli(
      [
        ...set,
        'ord_1',
        'ord_2',
        'confirmed',
        '--if-status',
        'pending',
        '--yes',
        '--output',
        'json',
      ],
      { env },
    );
    expect(exitCode).toBe(0);
    expect(outcomesOf(stdout)).toMatchObject([
      { id: 'ord_1', outcome: 'updated', from: 'pending', to: 'confirmed' },
      { id: 'ord_2', outcome: 'skipped', from: 'fulfilling', code: 'precondition_failed' },
    ]);
    const patches = service.seen.filter(({ method }) => method === 'PATCH');
    expect(patches.map(({ headers }) => headers['if-match'])).toEqual(['"ord_1-1"', '"ord_2-1"']);
  });

  it('guards only by reading first if the service sends no ETag, and reports that', async () => {
    const { service, env } = await startPendingOrders(2);
    const { exitCode, stderr } = await service.cli(
      [...set, 'ord_1', 'ord_2', 'confirmed', '--if-status', 'pending', '--yes'],
      { env },
    );
    expect(exitCode).toBe(0);
    expect(stderr).toContain('This service sends no ETag');
    expect(stderr.match(/ETag/g)).toHaveLength(1);
  });

  it('starts no other if the first fails with what would affect all, such as a wrong key', async () => {
    const { service, env, file } = await startPendingOrders(20);
    service.instead = () => aProblem(401, 'invalid_api_key');
    const { exitCode, stdout, stderr } = await service.cli(
      [...set, 'confirmed', '--stdin', '--yes', '--journal', file, '--output', 'json'],
      { env, input: service.orders.map(({ id }) => id).join(' ') },
    );
    expect(exitCode).toBe(4);
    expect(service.seen).toHaveLength(1);
    expect(outcomesOf(stdout).filter(({ outcome }) => outcome === 'not_attempted')).toHaveLength(
      19,
    );
    const [, error = ''] = stderr.split('\n');
    expect(JSON.parse(error).error).toMatchObject({
      code: 'all_failed',
      hint: expect.stringMatching(
        /^The API key may be.* Resume with: `tradepost orders set-status --resume /,
      ),
    });
  });

  it.each([
    ['a reader who has gone', brokenStream('EPIPE'), 0, '2 orders moved to confirmed.'],
    [
      'a full disk',
      brokenStream('ENOSPC'),
      1,
      '2 orders moved to confirmed, but the result could not be printed',
    ],
  ])('finishes with %s at stdout, and reports what was done', async (_, stdout, code, story) => {
    const { service, ids, env, file } = await startPendingOrders(2);
    const argv = [...set, ...ids, 'confirmed', '--yes', '--journal', file];
    const { exitCode, stderr } = await service.cli(argv, { env, stdout });
    expect(exitCode).toBe(code);
    expect(stderr).toContain(`Journal: ${file}\n`);
    expect(stderr).toContain(story);
  });

  it('keeps the exit code of the outcomes when no one reads the output', async () => {
    const { service, ids, env } = await startPendingOrders(2);
    service.instead = ({ path }) => (path.endsWith('ord_2') ? aProblem(409, 'x') : undefined);
    const argv = [...set, ...ids, 'confirmed', '--yes'];
    const { exitCode } = await service.cli(argv, { env, stdout: brokenStream('EPIPE') });
    expect(exitCode).toBe(7);
  });

  it('reports what was done when --jq does not fit the data', async () => {
    const { service, ids, env } = await startPendingOrders(2);
    const argv = [...set, ...ids, 'confirmed', '--yes', '--jq', '.[0].id.x'];
    const { exitCode, stdout, stderr } = await service.cli(argv, { env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain(
      '2 orders moved to confirmed, but the result could not be printed: --jq',
    );
  });

  it('prints no warning about its own listeners, however many run in parallel', async () => {
    const { service, ids, env } = await startPendingOrders(30);
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    service.instead = async () => {
      // The first goes alone.
      if (service.seen.length <= 2) return undefined;
      if (service.seen.length === 26) release();
      await held;
      return undefined;
    };
    const argv = [...set, ...ids, 'confirmed', '--yes', '--concurrency', '24'];
    expect((await service.cli(argv, { env })).exitCode).toBe(0);
    expect(warnings).toEqual([]);
  });

  it('starts no other order if the base URL is wrong, or the service has too many requests', async () => {
    const full = aProblem(503, 'overloaded');
    for (const [code, reply] of [
      [2, { status: 302, body: undefined, headers: { location: 'https://elsewhere.example/' } }],
      [1, { status: 429, body: undefined, headers: { 'retry-after': '0' } }],
      [1, { ...full, headers: { ...full.headers, 'retry-after': '600' } }],
    ] as const) {
      const { service, ids, env } = await startPendingOrders(6);
      service.instead = () => reply;
      const argv = [...set, ...ids, 'confirmed', '--yes', '--output', 'json'];
      const argvOnce = [...argv, '--reconnect-timeout', '0'];
      const { exitCode, stdout } = await service.cli(argvOnce, { env });
      expect(exitCode).toBe(code);
      expect(outcomesOf(stdout).filter(({ outcome }) => outcome === 'not_attempted')).toHaveLength(
        5,
      );
    }
  });

  it.each(['', '\n', '[]', 'id,status\n'])(
    'has nothing to do where stdin has no ids: %j',
    async (input) => {
      const { service, env } = await startPendingOrders(1);
      const argv = [...set, 'confirmed', '--stdin', '--yes', '--output', 'json'];
      expect(await service.cli(argv, { env, input })).toEqual({
        exitCode: 0,
        stdout: '[]\n',
        stderr: 'No IDs on stdin.\nNothing changed.\n',
      });
      expect(service.seen).toEqual([]);
    },
  );

  it.each([
    [['ord_1'], 'error: Missing status after the IDs. Use one of: pending, confirmed,'],
    [[], 'error: Missing status after the IDs. Use one of: pending, confirmed,'],
    [['lost', 'ord_1'], 'error: Missing status after the IDs. Use one of: '],
    [['confirmed', 'ord_1', 'ord_2'], 'error: Missing status after the IDs. Use one of: '],
    [['ord_1', 'lost'], "error: Invalid status 'lost'. Use one of: pending, confirmed,"],
    [
      ['Confirmed', '--stdin'],
      "error: Invalid status 'Confirmed'. Use one of: pending, confirmed,",
    ],
    [['ord_1', '--stdin'], 'error: Missing status after the IDs. Use one of: '],
    [['confirmed'], 'Missing order ID'],
    [['ord_1', 'ntf_1', 'confirmed', '--yes'], "'ntf_1' is not an order ID"],
    [['ord_1', 'confirmed', '--stdin'], 'as arguments or on stdin'],
    [['confirmed', '--resume', 'x'], '--resume takes IDs, status, condition and reason'],
    [['--resume', 'x', '--if-status', 'pending'], '--resume takes IDs'],
    [['--resume', 'x', '--reason', 'Paid.'], '--resume takes IDs'],
    [['ord_1', 'confirmed', '--reason', ' '], 'Use 1 to 500 visible characters on one line.'],
    [
      ['ord_1', 'confirmed', '--reason', 'one\ntwo'],
      'Use 1 to 500 visible characters on one line.',
    ],
    [
      ['ord_1', 'confirmed', '--reason', 'x'.repeat(501)],
      `argument '${'x'.repeat(60)}…' is invalid. Use 1 to 500 visible characters on one line.`,
    ],
    [['ord_1', 'confirmed', '--fail-on-skip'], '--fail-on-skip needs --if-status\nhint: See '],
    [['confirmed', '--stdin', '--fail-on-skip'], '--fail-on-skip needs --if-status'],
    [['--resume', 'x', '--journal', 'y'], '--resume continues the journal'],
    [['ord_1', 'ord_2', 'confirmed', '--concurrency', '0'], 'an integer from 1 to 64'],
    [['ord_1', 'ord_2', 'confirmed', '--max-failures', '0'], 'an integer of at least 1'],
    [['ord_1', 'ord_2', 'confirmed', '--if-status', 'lost'], 'Allowed choices are pending'],
    [['ord_1', 'confirmed', '--fields', 'nope'], "Unknown field 'nope'"],
    [['ord_1', 'ord_2', 'confirmed', '--yes', '--fields', 'status'], "Unknown field 'status'"],
    [['ord_1', 'ord_2', 'confirmed', '--yes', '--jq', '.['], 'is not a valid expression'],
  ])('rejects %j before anything is sent', async (args, message) => {
    const { service, env } = await startPendingOrders(2);
    const { exitCode, stdout, stderr } = await service.cli([...set, ...args], { env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(service.seen).toEqual([]);
  });
});
