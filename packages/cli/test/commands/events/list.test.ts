import { describe, expect, it } from 'vitest';
import { BareService, type SeenRequest } from '../../helpers/minimal-service';
import { anEvent } from '../../helpers/webhook-builders';

/** A log of events in pages of two, as long as there are any. */
function logOf(count: number, kindOf: (number: number) => 'order.created' | 'task.completed') {
  return ({ query }: SeenRequest) => {
    const start = Number(query.after ?? 0);
    const numbers = [start + 1, start + 2].filter((number) => number <= count);
    const data = numbers.map((number) => anEvent(number, kindOf(number)));
    return { status: 200, body: { data, nextCursor: String(numbers.at(-1) ?? start) } };
  };
}

const argv = ['events', 'list', '--output', 'json'];

describe('events list', () => {
  it('lists oldest first to the end of the log, and does not say that there are more', async () => {
    const service = await BareService.start();
    service.instead = logOf(5, () => 'order.created');
    const { exitCode, stdout, stderr } = await service.cli([...argv, '--since', '2026-11-20']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual([1, 2, 3, 4, 5].map((number) => anEvent(number)));
    expect(service.seen[0]?.query).toEqual({ limit: '50', since: '2026-11-20T00:00:00.000Z' });
    expect(service.seen[1]?.query).toEqual({ limit: '50', after: '2' });
  });

  it('filters event types locally, and reports whether more exist', async () => {
    const service = await BareService.start();
    service.instead = logOf(9, (number) => (number % 4 === 0 ? 'task.completed' : 'order.created'));
    const only = [...argv, '--events', 'task.completed', '--limit'];
    const idsOf = (stdout: string) => JSON.parse(stdout).map(({ id }: { id: string }) => id);
    const all = await service.cli([...only, '2', '--fail-if-truncated']);
    expect(all).toMatchObject({ exitCode: 0, stderr: '' });
    expect(idsOf(all.stdout)).toEqual(['evt_4', 'evt_8']);
    const cut = await service.cli([...only, '1', '--fail-if-truncated']);
    expect(cut.exitCode).toBe(8);
    expect(idsOf(cut.stdout)).toEqual(['evt_4']);
  });

  it('prints a table of the subjects, and CSV with the data as JSON', async () => {
    const service = await BareService.start();
    service.instead = logOf(1, () => 'order.created');
    const event = anEvent(1);
    const { stdout } = await service.cli(['events', 'list']);
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['CREATED', 'EVENT', 'ABOUT', 'ID'],
      [event.createdAt, 'order.created', event.data.orderId, 'evt_1'],
      [''],
    ]);
    const csv = await service.cli(['events', 'list', '--output', 'csv']);
    const quoted = JSON.stringify(event.data).replaceAll('"', '""');
    expect(csv.stdout).toContain(`evt_1,order.created,${event.createdAt},"${quoted}"`);
  });

  it('prints an empty list if there are no events', async () => {
    const service = await BareService.start();
    service.instead = logOf(0, () => 'order.created');
    expect((await service.cli(argv)).stdout).toBe('[]\n');
  });
});
