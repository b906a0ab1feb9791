import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCsvFormat } from '../../src/output/csv';

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

  it('is fast even with text designed to slow it down', () => {
    const id = `${'\t '.repeat(100_000)};`;
    expect(createCsvFormat<{ id: string }>(['id']).formatItem({ id })).toContain(id);
  });

  it('has no control characters on a terminal, and exact bytes elsewhere', () => {
    const id = 'a\u001b[2J\u0007\u202eb';
    expect(createCsvFormat<{ id: string }>(['id'], true).formatItem({ id })).toBe(
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
