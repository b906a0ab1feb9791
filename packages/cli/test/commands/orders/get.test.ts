import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../../test/helpers/an-order';
import { aProblem, BareService } from '../../helpers/minimal-service';

const orderId = anOrder().id;
const get = ['orders', 'get', orderId];

const buyer = { accountId: 'usr_1', kind: 'buyer' };

const history = [
  {
    id: 'evt_1',
    event: 'order.created',
    actor: buyer,
    data: { orderId, listingId: 'lst_1', status: 'pending' },
  },
  {
    id: 'evt_5',
    event: 'listing.availability_low',
    createdAt: '2026-11-21T09:30:00.000Z',
    actor: buyer,
    data: { listingId: 'lst_1', availableQuantity: 3 },
  },
  { id: 'evt_2', event: 'task.approval_requested', data: { orderId, taskId: 'tsk_1' } },
  { id: 'evt_3', event: 'task.completed', data: { orderId, taskId: 'tsk_1' } },
  {
    id: 'evt_4',
    event: 'order.status_changed',
    actor: { accountId: 'usr_2', kind: 'seller' },
    data: {
      orderId,
      previousStatus: 'pending',
      status: 'confirmed',
      reason: 'The buyer has paid.',
    },
  },
  { id: 'evt_6', event: 'order.archived', data: { orderId } },
].map((event, index) => ({ createdAt: `2026-11-21T09:3${index}:00.000Z`, ...event }));

/** A service with the history of one order. */
async function startWithHistory(events: readonly object[] = history): Promise<BareService> {
  const service = await BareService.start();
  service.extensions = ['events'];
  service.orders = [anOrder(), anOrder({ id: 'ord_2' })];
  service.instead = ({ path, query }) => {
    if (path !== '/v1/events') return undefined;
    const data = query.after === undefined && query.orderId === orderId ? events : [];
    return { status: 200, body: { data, nextCursor: 'end' } };
  };
  return service;
}

describe('the history of an order', () => {
  it('is below the order on a terminal, with reasons', async () => {
    const service = await startWithHistory();
    const { stdout, stderr } = await service.cli(get, {
      screen: { columns: 80 },
      env: { TZ: 'Europe/Berlin' },
    });
    expect(stderr).toBe('');
    expect(stdout.split('\n').slice(9)).toEqual([
      '',
      'AT                   CHANGE                 BY      REASON',
      '2026-11-21 10:30:00  created, pending       buyer',
      '2026-11-21 10:30:00  3 left of the listing  buyer',
      '2026-11-21 10:32:00  approval requested     -',
      '2026-11-21 10:33:00  task completed         -',
      '2026-11-21 10:34:00  pending → confirmed    seller  The buyer has paid.',
      '2026-11-21 10:35:00  order.archived         -',
      '',
    ]);
  });

  it('is in JSON on request only', async () => {
    const service = await startWithHistory();
    const json = ['--output', 'json'];
    expect(JSON.parse((await service.cli([...get, ...json])).stdout)).toEqual(anOrder());
    expect(service.seen.map(({ path }) => path)).toEqual([`/v1/orders/${orderId}`]);
    const { stdout } = await service.cli([...get, '--history', ...json]);
    expect(JSON.parse(stdout)).toEqual({ ...anOrder(), history });
    const fields = await service.cli([...get, '--fields', 'id,history', ...json]);
    expect(JSON.parse(fields.stdout)).toEqual({ id: orderId, history });
  });

  it('is JSON in a cell of CSV', async () => {
    const service = await startWithHistory();
    const { stdout } = await service.cli([...get, '--fields', 'id,history', '--output', 'csv']);
    const cell = JSON.stringify(history).replaceAll('"', '""');
    expect(stdout).toBe(`id,history\n${orderId},"${cell}"\n`);
  });

  it('is not requested with --no-history', async () => {
    const service = await startWithHistory();
    await service.cli([...get, '--no-history'], { screen: { columns: 80 } });
    expect(service.seen.map(({ path }) => path)).toEqual([`/v1/orders/${orderId}`]);
  });

  it.each([
    ['--history', ['--history']],
    ['history in --fields', ['--fields', 'id,history']],
  ])(
    'is left out on a terminal if the service has no events, and an error with %s',
    async (name, options) => {
      const service = await BareService.start();
      service.orders = [anOrder()];
      const shown = await service.cli(get, { screen: { columns: 80 } });
      expect(shown).toMatchObject({ exitCode: 0, stderr: '' });
      expect(shown.stdout.trimEnd().split('\n')).toHaveLength(9);
      const requested = await service.cli([...get, ...options]);
      expect(requested).toEqual({
        exitCode: 2,
        stdout: '',
        stderr: `error: ${name} needs the extension events of the API, which this service does not have\nhint: Omit ${name}.\n`,
      });
      expect(service.seen.filter(({ path }) => path === '/v1/events')).toEqual([]);
    },
  );

  it('does not prevent the order from being shown', async () => {
    const service = await BareService.start();
    service.extensions = ['events'];
    service.orders = [anOrder()];
    service.instead = ({ path }) =>
      path === '/v1/events' ? aProblem(503, 'store_unavailable') : undefined;
    const { exitCode, stdout, stderr } = await service.cli(get, { screen: { columns: 80 } });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(orderId);
    expect(stderr).toMatch(/^No history: .+\n$/);
    expect(service.seen.filter(({ path }) => path === '/v1/events')).toHaveLength(1);
  });
});

describe('a history that does not arrive', () => {
  /** Starts a service that has one order and never responds about events. */
  async function startStalling(onEvents: () => void = () => {}): Promise<BareService> {
    const service = await BareService.start();
    service.extensions = ['events'];
    service.orders = [anOrder()];
    service.instead = ({ path }) => {
      if (path !== '/v1/events') return undefined;
      onEvents();
      return new Promise(() => {});
    };
    return service;
  }

  it('leaves the order on the screen after Ctrl-C', async () => {
    const interrupt = new AbortController();
    const service = await startStalling(() => interrupt.abort());
    const { exitCode, stdout } = await service.cli(get, {
      screen: { columns: 80 },
      signal: interrupt.signal,
    });
    expect(exitCode).toBe(130);
    expect(stdout).toContain(orderId);
  });

  it('is reported after 5 seconds', async () => {
    let stop = () => {};
    const service = await startStalling(() => stop());
    const waits: number[] = [];
    const { exitCode, stdout, stderr } = await service.cli(get, {
      screen: { columns: 80 },
      wait: (milliseconds) => {
        waits.push(milliseconds);
        return new Promise((resolve) => {
          stop = resolve;
        });
      },
    });
    expect({ exitCode, stderr, waits }).toEqual({
      exitCode: 0,
      stderr: 'No history: no complete response within 5 s\n',
      waits: [5_000],
    });
    expect(stdout).toContain(orderId);
  });
});

describe('orders get --reconnect-timeout', () => {
  /** A clock that only waits move. */
  function aClock() {
    let time = 0;
    const wait = async (milliseconds: number) => {
      time += milliseconds;
    };
    return { now: () => time, wait };
  }
  const argv = [...get, '--output', 'json'];

  it.each([
    ['one ID', argv],
    ['several IDs', [...argv, 'ord_2']],
  ])('waits for a service that is down with %s', async (_, ids) => {
    const service = await startWithHistory();
    let left = 5;
    service.instead = () => (left-- > 0 ? { status: 503, body: undefined } : undefined);
    const more = ['--reconnect-timeout', '60'];
    const { exitCode, stderr } = await service.cli([...ids, ...more], aClock());
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/Retrying for up to 60 s\.\nReconnected\.\n$/);
  });

  it.each([
    ['one ID', argv],
    ['several IDs', [...argv, 'ord_2']],
  ])('retries a failure that may be of one request, with %s', async (_, ids) => {
    const service = await startWithHistory();
    let left = 1;
    service.instead = () => (left-- > 0 ? { status: 500, body: undefined } : undefined);
    const { exitCode } = await service.cli([...ids, '--reconnect-timeout', '60'], aClock());
    expect(exitCode).toBe(0);
  });

  it('is how long one ID waits', async () => {
    const service = await startWithHistory();
    service.instead = () => ({ status: 503, body: undefined });
    const clock = aClock();
    const { exitCode, stdout } = await service.cli([...argv, '--reconnect-timeout', '60'], clock);
    expect({ exitCode, stdout, waited: clock.now() }).toEqual({
      exitCode: 9,
      stdout: '',
      waited: 60_000,
    });
  });

  it('ends at once after Ctrl-C', async () => {
    const service = await startWithHistory();
    service.instead = () => ({ status: 503, body: undefined });
    const interrupt = new AbortController();
    const { exitCode } = await service.cli([...argv, '--reconnect-timeout', '60'], {
      signal: interrupt.signal,
      wait: async () => interrupt.abort(),
    });
    expect(exitCode).toBe(130);
  });
});

describe('orders get with several IDs', () => {
  it('prints an array in the order of the IDs, each once', async () => {
    const service = await startWithHistory();
    const argv = ['orders', 'get', 'ord_2', orderId, 'ord_2', '--output', 'json'];
    const { exitCode, stdout, stderr } = await service.cli(argv);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual([anOrder({ id: 'ord_2' }), anOrder()]);
  });

  it('prints an array also if one ID is given twice', async () => {
    const service = await startWithHistory();
    const { stdout } = await service.cli([...get, orderId, '--output', 'json']);
    expect(JSON.parse(stdout)).toEqual([anOrder()]);
  });

  it('prints those it finds, and reports the others', async () => {
    const service = await startWithHistory();
    const argv = ['orders', 'get', orderId, 'ord_3', 'ord_2', '--output', 'json'];
    const { exitCode, stdout, stderr } = await service.cli(argv);
    expect(exitCode).toBe(7);
    expect(JSON.parse(stdout).map(({ id }: { id: string }) => id)).toEqual([orderId, 'ord_2']);
    expect(JSON.parse(stderr).error.message).toBe('Got 2 of 3 orders; 1 failed');
  });

  it('exits with 5 and prints nothing if it finds none', async () => {
    const service = await startWithHistory();
    const { exitCode, stdout } = await service.cli(['orders', 'get', 'ord_3', 'ord_4']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 5, stdout: '' });
  });

  it('has a table of its history below each order, on request', async () => {
    const service = await startWithHistory();
    const { stdout } = await service.cli([...get, 'ord_2', '--history']);
    const blocks = stdout.split('\n\n').map((block) => block.split('\n')[0]?.split(/ +/));
    expect(blocks).toEqual([
      ['id', orderId],
      ['AT', 'CHANGE', 'BY', 'REASON'],
      ['id', 'ord_2'],
    ]);
    const table = await service.cli([...get, 'ord_2']);
    expect(table.stdout.split('\n')[0]).toMatch(/^ID +STATUS +CREATED/);
  });
});
