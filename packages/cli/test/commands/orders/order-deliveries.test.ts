import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../../test/helpers/an-order';
import { BareService } from '../../helpers/minimal-service';
import { aDelivery } from '../../helpers/webhook-builders';

const orderId = anOrder().id;
const get = ['orders', 'get', orderId, '--deliveries'];
const note = 'Deliveries to the webhooks of other accounts are not visible to this account.\n';

/** A service with the deliveries about one order. */
async function startWithDeliveries(): Promise<BareService> {
  const service = await BareService.start();
  service.extensions = ['deliveries'];
  service.orders = [anOrder(), anOrder({ id: 'ord_2' })];
  service.instead = ({ path, query }) => {
    if (path !== '/v1/deliveries') return undefined;
    const data = query.orderId === orderId ? [aDelivery({ orderId })] : [];
    return { status: 200, body: { data, nextCursor: null } };
  };
  return service;
}

describe('orders get --deliveries', () => {
  it('shows the deliveries to own webhooks, and says that others are not visible', async () => {
    const service = await startWithDeliveries();
    const { exitCode, stdout, stderr } = await service.cli(get);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: note });
    const [heading, row] = stdout.split('\n\n')[1]?.split('\n') ?? [];
    expect(heading).toMatch(/^ID +STATE +LAST/);
    expect(row).toMatch(new RegExp(`^${aDelivery().id}  failed  500`));
    const none = await service.cli(['orders', 'get', 'ord_2', '--deliveries']);
    expect(none.stderr).toBe(`No deliveries to the webhooks of this account found. ${note}`);
  });

  it('has them in JSON, also as a field', async () => {
    const service = await startWithDeliveries();
    const deliveries = [aDelivery({ orderId })];
    const { stdout, stderr } = await service.cli([...get, '--output', 'json']);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({ ...anOrder(), deliveries });
    const argv = ['orders', 'get', orderId, '--fields', 'id,deliveries', '--output', 'json'];
    expect(JSON.parse((await service.cli(argv)).stdout)).toEqual({ id: orderId, deliveries });
  });

  it('needs the extension', async () => {
    const service = await startWithDeliveries();
    service.extensions = [];
    const { exitCode, stdout, stderr } = await service.cli(get);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('--deliveries needs the extension deliveries of the API');
  });
});
