import { describe, expect, it } from 'vitest';
import { aProblem, BareService, type SeenRequest } from '../../helpers/minimal-service';
import { anEvent } from '../../helpers/webhook-builders';

/** A log of events, whose cursors are the numbers of the events before them. */
function logOf(
  count: number,
  kindOf = (_: number): 'order.created' | 'task.completed' => 'order.created',
) {
  return ({ query }: SeenRequest) => {
    const end = Number(query.before ?? count);
    const start = Math.max(0, end - Number(query.tail));
    const numbers = Array.from({ length: end - start }, (_, index) => start + index + 1);
    const data = numbers
      .filter((number) => query.type === undefined || kindOf(number) === query.type)
      .map((number) => anEvent(number, kindOf(number)));
    const previousCursor = start === 0 ? null : String(start);
    return { status: 200, body: { data, nextCursor: String(end), previousCursor } };
  };
}

const argv = ['events', 'list', '--output', 'json'];
const idsOf = (stdout: string) => JSON.parse(stdout).map(({ id }: { id: string }) => id);

describe('events list', () => {
  it('lists newest first, and says that there are more', async () => {
    const service = await BareService.start();
    service.instead = logOf(5);
    const { exitCode, stdout, stderr } = await service.cli([...argv, '--limit', '2']);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: 'Showing 2 events; more exist. Use --all, or a larger --limit.\n',
    });
    expect(JSON.parse(stdout)).toEqual([anEvent(5), anEvent(4)]);
    const all = await service.cli([...argv, '--limit', '5', '--fail-if-truncated']);
    expect(all).toMatchObject({ exitCode: 0, stderr: '' });
    expect(idsOf(all.stdout)).toEqual(['evt_5', 'evt_4', 'evt_3', 'evt_2', 'evt_1']);
  });

  it('sends its filters with each page', async () => {
    const service = await BareService.start();
    service.instead = logOf(150);
    const times = ['--since', '2026-11-20T00:00:00Z', '--until', '2026-11-21T00:00:00Z'];
    const { stdout } = await service.cli([...argv, '--order', 'ord_1', ...times, '--all']);
    expect(idsOf(stdout)).toHaveLength(150);
    const query = {
      tail: '100',
      orderId: 'ord_1',
      since: '2026-11-20T00:00:00.000Z',
      until: '2026-11-21T00:00:00.000Z',
    };
    expect(service.seen.map((request) => request.query)).toEqual([
      query,
      { ...query, before: '50' },
    ]);
    const swapped = await service.cli([...argv, '--since', '1h', '--until', '2h']);
    expect(swapped).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('goes on after a page without events of a type, and reports whether more exist', async () => {
    const service = await BareService.start();
    service.instead = logOf(9, (number) => (number % 4 === 0 ? 'task.completed' : 'order.created'));
    const only = [...argv, '--type', 'task.completed', '--limit'];
    const all = await service.cli([...only, '2', '--fail-if-truncated']);
    expect(all).toMatchObject({ exitCode: 0, stderr: '' });
    expect(idsOf(all.stdout)).toEqual(['evt_8', 'evt_4']);
    const cut = await service.cli([...only, '1', '--fail-if-truncated']);
    expect(cut.exitCode).toBe(8);
    expect(idsOf(cut.stdout)).toEqual(['evt_8']);
  });

  it('prints a table of the subjects, and CSV with the data as JSON', async () => {
    const service = await BareService.start();
    const actor = { accountId: 'usr_1', kind: 'seller' };
    const event = { ...anEvent(1), actor };
    const body = { data: [event], nextCursor: '1', previousCursor: null };
    service.instead = () => ({ status: 200, body });
    const { stdout } = await service.cli(['events', 'list']);
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['CREATED', 'EVENT', 'ABOUT', 'BY', 'ID'],
      [event.createdAt, 'order.created', event.data.orderId, 'seller usr_1', 'evt_1'],
      [''],
    ]);
    const csv = await service.cli(['events', 'list', '--output', 'csv']);
    const quoted = JSON.stringify(event.data).replaceAll('"', '""');
    const by = JSON.stringify(actor).replaceAll('"', '""');
    expect(csv.stdout).toContain(`evt_1,order.created,${event.createdAt},"${by}","${quoted}"`);
  });

  it('names the webhook that an event is about', async () => {
    const service = await BareService.start();
    const disabled = { ...anEvent(1), event: 'webhook.disabled', data: { webhookId: 'whk_1' } };
    const body = { data: [disabled], nextCursor: '1', previousCursor: null };
    service.instead = () => ({ status: 200, body });
    const { stdout } = await service.cli(['events', 'list']);
    expect(stdout.split('\n')[1]?.split(/ {2,}/)).toContain('whk_1');
  });

  it('prints an empty list if there are no events', async () => {
    const service = await BareService.start();
    service.instead = logOf(0);
    expect((await service.cli(argv)).stdout).toBe('[]\n');
  });
});

describe('events get', () => {
  it('shows one event', async () => {
    const service = await BareService.start();
    service.instead = () => ({ status: 200, body: { data: anEvent(1) } });
    const { exitCode, stdout } = await service.cli(['events', 'get', 'evt_1', '--output', 'json']);
    expect({ exitCode, event: JSON.parse(stdout) }).toEqual({ exitCode: 0, event: anEvent(1) });
    expect(service.seen.map(({ path }) => path)).toEqual(['/v1/events/evt_1']);
  });

  it('says how to find one that is not there', async () => {
    const service = await BareService.start();
    service.instead = () => aProblem(404, 'event_not_found');
    const { exitCode, stderr } = await service.cli(['events', 'get', 'evt_1']);
    expect(exitCode).toBe(5);
    expect(stderr).toContain('hint: Check the event ID.');
    expect(stderr).toContain('`tradepost events list`');
  });

  it('says that a service without an event log does not have it', async () => {
    const service = await BareService.start();
    const { stderr } = await service.cli(['events', 'get', 'evt_1']);
    expect(stderr).toContain('This needs the extension events of the API');
  });
});
