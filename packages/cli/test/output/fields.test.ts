import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { notificationView } from '../../src/commands/notifications/notification-view';
import type { NamedOrder } from '../../src/commands/orders/order-view';
import { orderView } from '../../src/commands/orders/order-view';
import type { OutputFormat } from '../../src/input/options';
import { chooseFormat } from '../../src/output/format';
import { aContext } from '../helpers/a-context';
import { FakeStream } from '../helpers/fake-stream';
import { aNotification, BareService } from '../helpers/minimal-service';

/** Every command of orders and notifications that prints data, with what the service needs for it. */
const commands = [
  ['orders', 'list'],
  ['orders', 'create', '--listing', 'lst_1', '--quantity', '5'],
  ['notifications', 'list'],
  ['notifications', 'read', 'ntf_1'],
  ['notifications', 'read', '--all'],
];

describe('--fields', () => {
  it('prints only those fields, in the given order, in every format', async () => {
    const service = await BareService.start();
    service.orders = [anOrder({ id: 'ord_1' }), anOrder({ id: 'ord_2', agentId: 'usr_a' })];
    const list = async (output: OutputFormat) => {
      const argv = ['orders', 'list', '--fields', 'agentId,quantity,id', '--output', output];
      const { exitCode, stdout, stderr } = await service.cli(argv);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      return stdout;
    };
    expect(await list('table')).toBe(
      ['AGENT  QUANTITY  ID', '-             5  ord_1', 'usr_a         5  ord_2', ''].join('\n'),
    );
    expect(await list('csv')).toBe('agentId,quantity,id\n,5,ord_1\nusr_a,5,ord_2\n');
    expect(await list('ndjson')).toBe(
      '{"agentId":null,"quantity":5,"id":"ord_1"}\n{"agentId":"usr_a","quantity":5,"id":"ord_2"}\n',
    );
    const json = JSON.parse(await list('json'));
    expect(json.map(Object.keys)).toEqual(Array(2).fill(['agentId', 'quantity', 'id']));
  });

  it('applies to every command', async () => {
    const service = await BareService.start();
    const order = { status: 201, body: { data: anOrder({ id: 'ord_1' }) } };
    service.instead = ({ method }) => (method === 'POST' ? order : undefined);
    for (const argv of commands) {
      service.orders = [anOrder({ id: 'ord_1' })];
      service.notifications = [aNotification({ id: 'ntf_1' })];
      const asked = [...argv, '--fields', 'createdAt,id', '--output', 'csv'];
      const { exitCode, stdout } = await service.cli(asked);
      const id = argv[0] === 'orders' ? 'ord_1' : 'ntf_1';
      expect({ argv, exitCode, stdout }).toEqual({
        argv,
        exitCode: 0,
        stdout: `createdAt,id\n2026-11-21T09:30:00.000Z,${id}\n`,
      });
    }
  });

  it.each(['nope', '', 'id,', ',id', 'id,,status', 'ID', 'id status', 'constructor', '__proto__'])(
    '%j is rejected by every command before anything is sent',
    async (fields) => {
      const service = await BareService.start();
      service.notifications = [aNotification({ id: 'ntf_1' })];
      for (const argv of commands) {
        for (const output of ['table', 'json', 'ndjson', 'csv']) {
          const asked = [...argv, `--fields=${fields}`, '--output', output];
          const { exitCode, stdout, stderr } = await service.cli(asked);
          expect({ argv, exitCode, stdout }).toEqual({ argv, exitCode: 2, stdout: '' });
          expect(stderr).toContain('Unknown field');
          expect(stderr).toContain('Fields: id, ');
        }
      }
      expect(service.seen).toEqual([]);
    },
  );

  it('prints a field once, however often it is listed, with or without spaces', async () => {
    const options = { output: 'csv', fields: ' id , status,id,  status ' } as const;
    const format = await chooseFormat(options, orderView, aContext());
    expect(await format.formatItem(anOrder({ id: 'ord_1' }))).toBe('id,status\nord_1,pending\n');
  });

  it('prints a single object with only those fields, one per line', async () => {
    const options = { output: 'table', fields: 'agentId,id' } as const;
    const format = await chooseFormat(options, orderView, aContext());
    expect(await format.formatItem(anOrder({ id: 'ord_1' }))).toBe('agentId  -\nid       ord_1\n');
  });

  it('keeps every selected column complete on a narrow terminal', async () => {
    const options = { output: 'table', fields: 'message,orderId' } as const;
    const format = await chooseFormat(
      options,
      notificationView,
      aContext({ stdout: new FakeStream({ columns: 20 }) }),
    );
    const { message, orderId } = aNotification();
    const words = (await format.formatItems([aNotification()])).split(/\s+/);
    expect(words).toEqual(['MESSAGE', ...message.split(' '), 'ORDER', orderId, '']);
  });

  it('gives null for a field that the service does not send', async () => {
    const service = await BareService.start();
    service.orders = [JSON.parse('{"id":"ord_1"}')];
    const argv = ['orders', 'list', '--fields', 'id,agentId', '--output', 'ndjson'];
    expect((await service.cli(argv)).stdout).toBe('{"id":"ord_1","agentId":null}\n');
  });

  it('applies before --jq, which receives only those fields', async () => {
    const service = await BareService.start();
    service.orders = [anOrder({ id: 'ord_1' })];
    const argv = ['orders', 'list', '--fields', 'status,id', '--jq', '.[0]'];
    expect((await service.cli(argv)).stdout).toBe('{"status":"pending","id":"ord_1"}\n');
  });

  it('has the same values as the complete JSON, for any selection of fields', async () => {
    const chosen = fc.shuffledSubarray([...orderView.fields], { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(chosen, async (fields) => {
        const options = { output: 'ndjson', fields: fields.join(',') } as const;
        const format = await chooseFormat(options, orderView, aContext());
        const order: NamedOrder = anOrder({ agentId: 'usr_a' });
        const picked = fields.map((field) => [field, order[field]]);
        expect(Object.entries(JSON.parse(await format.formatItem(order)))).toEqual(picked);
      }),
    );
  });
});

describe('CSV of a list, for a spreadsheet', () => {
  const starts = ['=', '+', '-', '@', '\t', '\r'];
  const cell = fc
    .tuple(fc.constantFrom(...starts, '"=', "'=", ',=', '\n='), fc.string({ unit: 'binary' }))
    .map((parts) => parts.join(''));

  it('has no cell that starts a formula, in any field, with or without --fields', async () => {
    const { parse } = await import('csv-parse/sync');
    const fields = fc.option(fc.shuffledSubarray([...orderView.fields], { minLength: 1 }));
    await fc.assert(
      fc.asyncProperty(cell, fields, async (text, chosen) => {
        const values = Object.fromEntries(orderView.fields.map((field) => [field, text]));
        const options = chosen === null ? {} : { fields: chosen.join(',') };
        const format = await chooseFormat({ output: 'csv', ...options }, orderView, aContext());
        const row = await format.formatItems([anOrder(values)]);
        const rows: string[][] = parse(row, { record_delimiter: '\n' });
        expect(rows).toHaveLength(2);
        expect(rows[1]).toHaveLength((chosen ?? orderView.fields).length);
        for (const value of rows[1] ?? []) {
          expect(value).not.toMatch(/^[=+\-@\t\r]|[;\t\r\n][\s"]*[=+\-@]/);
          expect(value.replaceAll("'", '')).toBe(text.replaceAll("'", ''));
        }
      }),
    );
  });
});
