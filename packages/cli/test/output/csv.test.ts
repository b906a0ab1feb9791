import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { chooseDialect, createCsvFormat } from '../../src/output/csv';
import { BareService } from '../helpers/minimal-service';

/** Reads CSV as RFC 4180 has it: a plain reader, written apart from the writer. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (quoted) {
      if (character !== '"') cell += character;
      else if (text[index + 1] === '"') {
        cell += '"';
        index += 1;
      } else quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === ',') {
      row.push(cell);
      cell = '';
    } else if (character === '\n') {
      rows.push([...row, cell]);
      row = [];
      cell = '';
    } else cell += character;
  }
  return rows;
}

const fields = ['id', 'message'] as const;
const item = fc.record({ id: fc.string({ unit: 'binary' }), message: fc.string() });
const formulaStart = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

describe('CSV', () => {
  it('is read back as written, except for the apostrophe before a formula', () => {
    fc.assert(
      fc.property(fc.array(fc.array(item)), (parts) => {
        const format = createCsvFormat<{ id: string; message: string }>(fields);
        const text = parts.map((part) => format.formatItems(part)).join('') + format.end();
        const written = (value: string) => {
          const text = value.replace(
            /(?<=[;\t\r\n][\s"]*)(?=[=+@\uff1d\uff0b\uff0d\uff20-])/g,
            "'",
          );
          return formulaStart.test(text) || text.startsWith('\n') ? `'${text}` : text;
        };
        expect(readCsv(text)).toEqual([
          [...fields],
          ...parts.flat().map(({ id, message }) => [written(id), written(message)]),
        ]);
      }),
    );
  });

  it('never has a cell that a spreadsheet treats as a formula', () => {
    const starts = fc.constantFrom('=', '+', '-', '@', '\t', '\r');
    fc.assert(
      fc.property(starts, fc.string(), (start, rest) => {
        const format = createCsvFormat<{ id: string; message: string }>(fields);
        const cells = readCsv(format.formatItem({ id: start + rest, message: '' })).flat();
        expect(cells.filter((cell) => formulaStart.test(cell))).toEqual([]);
      }),
    );
  });

  it('has no formula either if a spreadsheet splits at other separators', () => {
    const separators = fc.constantFrom(';', '\t', '\n', '\r\n', '; ', ';"', '\t "');
    const starts = fc.constantFrom('=', '+', '-', '@');
    fc.assert(
      fc.property(fc.string(), separators, starts, (before, separator, start) => {
        const format = createCsvFormat<{ id: string; message: string }>(fields);
        const text = format.formatItem({
          id: 'ntf_1',
          message: `${before}${separator}${start}1+1`,
        });
        for (const split of [';', '\t']) {
          const [, ...cells] = text.split(/\r?\n/).flatMap((line) => line.split(split));
          for (const cell of cells) expect(cell.replace(/^[\s"]+/, '')).not.toMatch(/^[=+@-]1\+1/);
        }
      }),
    );
    const format = createCsvFormat<{ id: string }>(['id']);
    expect(format.formatItem({ id: 'a;=1+1;b; -2' })).toBe("id\na;'=1+1;b; '-2\n");
  });

  it('is safe in a spreadsheet that splits at commas too, if the delimiter is another one', () => {
    const format = createCsvFormat<{ id: string }>(['id'], { delimiter: ';' });
    expect(format.formatItem({ id: 'a,=1+1' })).toBe("id\na,'=1+1\n");
  });

  it('is fast even with text designed to slow it down', () => {
    const id = `${'\t '.repeat(100_000)};`;
    expect(createCsvFormat<{ id: string }>(['id']).formatItem({ id })).toContain(id);
  });

  it('has no control characters on a terminal, and exact bytes elsewhere', () => {
    const id = 'a\u001b[2J\u0007\u202eb';
    expect(createCsvFormat<{ id: string }>(['id'], { isTerminal: true }).formatItem({ id })).toBe(
      'id\na\\u001b[2J\\u0007\\u202eb\n',
    );
    expect(createCsvFormat<{ id: string }>(['id']).formatItem({ id })).toBe(`id\n${id}\n`);
  });

  it('has its heading once, even without rows', () => {
    const format = createCsvFormat<{ id: string }>(['id']);
    expect(format.formatItems([]) + format.formatItems([{ id: 'ord_1' }]) + format.end()).toBe(
      'id\nord_1\n',
    );
    expect(createCsvFormat<{ id: string }>(['id']).end()).toBe('id\n');
  });

  it('leaves null empty, and writes a list with commas', () => {
    const format = createCsvFormat<{ agentId: null; events: string[]; read: boolean }>([
      'agentId',
      'events',
      'read',
    ]);
    expect(format.formatItem({ agentId: null, events: ['a', 'b'], read: false })).toBe(
      'agentId,events,read\n,"a,b",false\n',
    );
  });
});

describe('CSV for Excel', () => {
  it.each([
    [{ LC_ALL: 'de_DE.UTF-8' }, ';'],
    [{ LANG: 'fr_FR' }, ';'],
    [{ LC_ALL: '', LC_NUMERIC: 'pt_BR.UTF-8', LANG: 'en_US.UTF-8' }, ';'],
    [{ LANG: 'de_CH.UTF-8' }, ';'],
    [{ LANG: 'en_US.UTF-8' }, ','],
    [{ LANG: 'ja_JP.UTF-8' }, ','],
    [{ LANG: 'C.UTF-8' }, ','],
  ])('has the list separator of %j', (env, delimiter) => {
    expect(chooseDialect({ excel: true }, env)).toEqual({ delimiter, bom: true });
    expect(chooseDialect({}, env)).toEqual({ delimiter: ',', bom: false });
    expect(chooseDialect({ excel: true, separator: 'tab' }, env).delimiter).toBe('\t');
  });

  it('begins with one byte order mark, and not on a terminal', () => {
    const format = createCsvFormat<{ id: string }>(['id'], { bom: true });
    expect(format.formatItems([{ id: 'a' }]) + format.formatItems([{ id: 'b' }])).toBe(
      '\ufeffid\na\nb\n',
    );
    const onTerminal = createCsvFormat<{ id: string }>(['id'], { bom: true, isTerminal: true });
    expect(onTerminal.end()).toBe('id\n');
  });

  it('has local times that every spreadsheet takes for times, of the separator that was chosen', async () => {
    const service = await BareService.start();
    service.orders = [anOrder({ id: 'ord_1', createdAt: '2026-11-21T09:30:00.000Z' })];
    const argv = ['orders', 'list', '--excel', '--fields', 'id,createdAt'];
    const env = { LC_ALL: 'de_DE.UTF-8', TZ: 'Europe/Berlin' };
    const row = async (...more: string[]) =>
      (await service.cli([...argv, ...more], { env })).stdout.split('\n').slice(0, 2);
    expect(await row()).toEqual(['\ufeffid;createdAt', 'ord_1;2026-11-21 10:30:00']);
    expect(await row('--utc')).toEqual(['\ufeffid;createdAt', 'ord_1;2026-11-21 09:30:00']);
    expect(await row('--separator', ',')).toEqual([
      '\ufeffid,createdAt',
      'ord_1,2026-11-21 10:30:00',
    ]);
  });

  it('needs no other option where a separator is chosen', async () => {
    const service = await BareService.start();
    service.orders = [anOrder({ id: 'ord_1', quantity: 5 })];
    const argv = ['orders', 'list', '--separator', 'tab', '--fields', 'id,quantity'];
    expect((await service.cli(argv)).stdout).toBe('id\tquantity\nord_1\t5\n');
  });

  it.each([
    [['--excel', '--output', 'json'], '--excel needs CSV output, not json'],
    [['--separator', ';', '--output', 'json'], '--separator needs CSV output, not json'],
    [['--excel', '--jq', '.'], '--jq needs JSON output, not csv'],
  ])('needs CSV output: %j', async (args, message) => {
    const service = await BareService.start();
    const { exitCode, stderr } = await service.cli(['orders', 'list', ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
    expect(service.seen).toEqual([]);
  });
});
