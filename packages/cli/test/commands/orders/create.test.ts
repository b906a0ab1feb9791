import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../../test/helpers/an-order';
import { brokenStream } from '../../helpers/fake-stream';
import { aProblem, BareService } from '../../helpers/minimal-service';

const listing = 'lst_01KAJ8Q0V7T3M5X9R2C4D6F8GL';
const argv = ['orders', 'create', '--listing', listing, '--quantity', '5'];

/** A service that places orders; the bare one has nothing that could be bought. */
async function aShop(): Promise<BareService> {
  const service = await BareService.start();
  service.instead = ({ method, body }) =>
    method === 'POST'
      ? { status: 201, body: { data: anOrder({ id: 'ord_1', ...Object(body) }) } }
      : undefined;
  return service;
}

/** The header with which a service says that it honours idempotency keys. */
const honoursKeys = { 'tradepost-idempotency': '86400' };

describe('orders create', () => {
  it('places one order and shows it', async () => {
    const service = await aShop();
    expect(await service.cli([...argv, '--output', 'ndjson'])).toEqual({
      exitCode: 0,
      stdout: `${JSON.stringify(anOrder({ id: 'ord_1', listingId: listing, quantity: 5 }))}\n`,
      stderr: '',
    });
    expect(service.seen.map(({ method, path, body }) => ({ method, path, body }))).toEqual([
      { method: 'POST', path: '/v1/orders', body: { listingId: listing, quantity: 5 } },
    ]);
  });

  it('sends the given idempotency key, or a new one each time', async () => {
    const service = await aShop();
    await service.cli([...argv, '--idempotency-key', 'ticket-4711']);
    await service.cli(argv);
    await service.cli(argv);
    const [given, own, other] = service.seen.map(({ headers }) => headers['idempotency-key']);
    expect(given).toBe('ticket-4711');
    expect(own).toMatch(/^\S{16,}$/);
    expect(other).not.toBe(own);
  });

  it.each([
    ['listing_not_found', 5],
    ['idempotency_key_reused', 6],
    ['insufficient_quantity', 6],
    ['validation_failed', 1],
  ])('exits with the code of the error: %s', async (code, exitCode) => {
    const service = await BareService.start();
    service.instead = () => aProblem(code === 'insufficient_quantity' ? 409 : 422, code);
    expect(await service.cli(argv)).toMatchObject({ exitCode, stdout: '' });
  });

  it('prints the idempotency key if an earlier attempt may have placed the order', async () => {
    const service = await BareService.start();
    service.instead = () =>
      service.seen.length === 1
        ? { status: 502, body: '<html>', headers: honoursKeys }
        : { ...aProblem(429, 'rate_limited'), headers: { 'retry-after': '3600' } };
    const { exitCode, stderr } = await service.cli([...argv, '--output', 'json']);
    expect(exitCode).toBe(1);
    expect(service.seen).toHaveLength(2);
    const key = service.seen[0]?.headers['idempotency-key'];
    expect(JSON.parse(stderr).error.hint).toContain(`\`--idempotency-key ${key}\``);
  });

  it.each([
    [429, 'rate_limited', 1],
    [503, 'overloaded', 1],
    [503, 'shutting_down', 9],
  ])(
    'does not claim that an order may have been created after %i %s',
    async (status, code, exit) => {
      const service = await BareService.start();
      service.instead = () => aProblem(status, code);
      const { exitCode, stderr } = await service.cli(argv);
      expect(exitCode).toBe(exit);
      expect(service.seen).toHaveLength(1);
      expect(stderr).not.toMatch(/may have been|--idempotency-key/);
    },
  );

  it('places no second order, and prints the key, if the service is not known to honour keys', async () => {
    const service = await BareService.start();
    service.instead = () => ({ status: 502, body: '<html>' });
    const { exitCode, stderr } = await service.cli(argv);
    expect(exitCode).toBe(9);
    expect(service.seen).toHaveLength(1);
    expect(stderr).toContain(`--idempotency-key ${service.seen[0]?.headers['idempotency-key']}`);
  });

  it('repeats the idempotency key if the service honours keys', async () => {
    const service = await aShop();
    const shop = service.instead;
    service.instead = (request) =>
      service.seen.length === 1 ? { status: 503, body: '', headers: honoursKeys } : shop(request);
    expect((await service.cli(argv)).exitCode).toBe(0);
    expect(service.seen).toHaveLength(2);
    expect(new Set(service.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it.each([
    [['--quantity', '5'], "Required option '--listing <id>' not specified"],
    [['--listing', listing], "Required option '--quantity <n>' not specified"],
    [['--listing', 'ord_1', '--quantity', '5'], 'IDs of this type begin with lst_.'],
    [['--listing', 'lst_1/../x', '--quantity', '5'], 'IDs of this type begin with lst_.'],
    ...['0', '-1', '1.5', '1e3', '1000001', '5 ', 'five', ''].map((quantity) => [
      ['--listing', listing, `--quantity=${quantity}`],
      'Use an integer from 1 to 1000000.',
    ]),
    ...['', 'two words', 'naïve', 'line\n', 'x'.repeat(256)].map((key) => [
      ['--listing', listing, '--quantity', '5', `--idempotency-key=${key}`],
      'Use 1 to 255 visible ASCII characters without spaces.',
    ]),
    [['--listing', listing, '--quantity', '5', 'ord_1'], 'Too many arguments'],
  ])('%j is rejected, and nothing is ordered', async (options, message) => {
    const service = await aShop();
    const result = await service.cli(['orders', 'create', ...options]);
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(message);
    expect(result.stderr).toContain('`tradepost orders create --help`');
    expect(service.seen).toEqual([]);
  });

  it('reports which account may order if the key belongs to another', async () => {
    const service = await BareService.start();
    service.instead = () => aProblem(403, 'account_kind_not_allowed');
    const { exitCode, stdout, stderr } = await service.cli(argv);
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
    expect(stderr).toContain('POST /v1/orders returned 403 account_kind_not_allowed\nhint: ');
  });

  it('reports what is wrong with the quantity', async () => {
    const service = await BareService.start();
    const errors = [{ path: 'quantity', message: 'must be at most 3: no more are available' }];
    service.instead = () => aProblem(422, 'validation_failed', { errors });
    const asText = await service.cli(argv);
    expect(asText.exitCode).toBe(1);
    expect(asText.stderr).toContain('  quantity: must be at most 3: no more are available\n');
    const asJson = await service.cli([...argv, '--output', 'json']);
    expect(JSON.parse(asJson.stderr).error).toMatchObject({ code: 'validation_failed', errors });
  });

  it('advises to check first if the interruption may have been too late', async () => {
    const service = await BareService.start();
    const interrupt = new AbortController();
    service.instead = () => {
      interrupt.abort();
      return new Promise(() => {});
    };
    const { exitCode, stderr } = await service.cli(argv, { signal: interrupt.signal });
    expect(exitCode).toBe(130);
    expect(stderr).toContain('Check before you repeat it.');
  });

  it('reports that the order is placed if it cannot be printed', async () => {
    const service = await aShop();
    const asJq = await service.cli([...argv, '--jq', '.quantity | .[]']);
    expect(asJq).toMatchObject({ exitCode: 1, stdout: '' });
    expect(JSON.parse(asJq.stderr).error).toMatchObject({
      code: 'output_failed',
      message: expect.stringMatching(
        /^Order ord_1 is created, but the result could not be printed: --jq ".*" does not fit/,
      ),
      hint: 'Do not repeat it. To see it, run `tradepost orders get ord_1`.',
    });
    const full = await service.cli(argv, { stdout: brokenStream('ENOSPC') });
    expect(full.exitCode).toBe(1);
    expect(full.stderr).toContain(
      'error: Order ord_1 is created, but the result could not be printed: Cannot write to stdout',
    );
    const closed = await service.cli(argv, { stdout: brokenStream('EPIPE') });
    expect(closed).toMatchObject({ exitCode: 0, stderr: 'Order ord_1 is created.\n' });
  });
});
