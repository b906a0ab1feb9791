import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../../test/helpers/an-order';
import { BareService } from '../../helpers/minimal-service';

describe('the sort of orders list', () => {
  it('is that of the service', async () => {
    const service = await BareService.start();
    service.extensions = ['orders.sort', 'paging'];
    service.orders = [anOrder({ id: 'ord_1' }), anOrder({ id: 'ord_2' })];
    const argv = ['orders', 'list', '--sort', '-updatedAt', '--output', 'csv', '--fields', 'id'];
    expect(await service.cli(argv)).toMatchObject({ exitCode: 0, stdout: 'id\nord_1\nord_2\n' });
    expect(service.seen.map(({ query }) => query)).toEqual([{ sort: '-updatedAt', limit: '50' }]);
  });

  it.each([false, true])(
    'is an error if the service does not have it, and rejects it: %s',
    async (isStrict) => {
      const service = await BareService.start();
      service.isStrict = isStrict;
      service.orders = [anOrder()];
      expect(await service.cli(['orders', 'list', '--sort', 'updatedAt'])).toEqual({
        exitCode: 2,
        stdout: '',
        stderr:
          'error: --sort needs the extension orders.sort of the API, which this service does not have\nhint: Omit --sort.\n',
      });
      expect(service.seen).toHaveLength(1);
    },
  );
});

describe('a table of orders by their last change', () => {
  it('has the time of that change on a narrow terminal too', async () => {
    const service = await BareService.start();
    service.extensions = ['orders.sort'];
    const now = () => Date.parse('2026-11-21T10:59:00.000Z');
    service.orders = [anOrder({ status: 'fulfilling', updatedAt: '2026-11-21T10:00:00.000Z' })];
    const argv = ['orders', 'list', '--sort', '-updatedAt'];
    const { stdout } = await service.cli(argv, { screen: { columns: 60 }, now });
    expect(stdout).toBe(
      [
        'ID                              STATUS      UPDATED',
        'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH  fulfilling  59 min ago',
        '',
      ].join('\n'),
    );
  });

  it.each([[['--sort', 'updatedAt']], [['--updated-since', '2026-11-20']]])(
    'with %j has the time of that change',
    async (options) => {
      const service = await BareService.start();
      service.extensions = ['orders.sort'];
      service.orders = [anOrder({ updatedAt: '2026-11-21T10:00:00.000Z' })];
      const { stdout } = await service.cli(['orders', 'list', ...options]);
      expect(stdout).toMatch(/^ID +STATUS +UPDATED +BUYER .*\n.* 2026-11-21T10:00:00.000Z /);
      expect((await service.cli(['orders', 'list'])).stdout).toMatch(
        / CREATED .*\n.* 2026-11-21T09:30/,
      );
    },
  );
});
