import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTableFormat } from '../../src/output/table';
import { cellWidth, type Style } from '../../src/output/text';
import type { Column } from '../../src/output/view';

interface Row {
  id: string;
  count: number;
  text: string;
}

const columns: Column<Row>[] = [
  { title: 'ID', field: 'id', text: (row) => row.id },
  { title: 'COUNT', field: 'count', text: (row) => String(row.count), align: 'right' },
  { title: 'TEXT', field: 'text', text: (row) => row.text, whenNarrow: 'shorten' },
];
const plain: Style = (_, text) => text;
const everywhere = Number.POSITIVE_INFINITY;

/** Any text at all: control characters, half surrogates and right-to-left overrides included. */
const nasty = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('\u001b[31m', '\u009b', '\r', '\n', '\u202e', '\ud800', '界'),
  }),
);
const rows = fc.array(fc.record({ id: nasty, count: fc.integer(), text: nasty }), {
  minLength: 1,
  maxLength: 5,
});

describe('a table', () => {
  it('never contains a control character, whatever the service sends', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (items) => {
        const text = await createTableFormat(columns, everywhere, plain).formatItems(items);
        expect(text.split('\n')).toHaveLength(items.length + 2);
        expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });

  it('never has a line that is wider than the terminal, nor one that ends in spaces', async () => {
    const short = fc.string({ maxLength: 4, unit: 'grapheme-ascii' });
    const items = fc.array(fc.record({ id: short, count: fc.nat(99), text: nasty }), {
      minLength: 1,
    });
    await fc.assert(
      fc.asyncProperty(items, fc.integer({ min: 80, max: 200 }), async (some, cells) => {
        const text = await createTableFormat(columns, cells, plain).formatItems(some);
        const lines = text.split('\n');
        for (const line of lines) {
          expect(cellWidth(line)).toBeLessThanOrEqual(cells);
          expect(line).not.toMatch(/ $/);
        }
      }),
    );
  });

  it('aligns wide characters', async () => {
    const text = await createTableFormat(columns, everywhere, plain).formatItems([
      { id: '注文', count: 5, text: 'a' },
      { id: 'order', count: 12, text: 'b' },
    ]);
    expect(text).toBe(['ID     COUNT  TEXT', '注文       5  a', 'order     12  b', ''].join('\n'));
  });

  it('has its heading once, and columns only get wider from part to part', async () => {
    const table = createTableFormat(columns, everywhere, plain);
    const parts = [
      [{ id: 'long-one', count: 1, text: 'a' }],
      [{ id: 'b', count: 2, text: 'b' }],
      [{ id: 'an-even-longer-one', count: 3, text: 'c' }],
    ];
    const texts: string[] = [];
    for (const part of parts) texts.push(await table.formatItems(part));
    expect(texts.join('') + (await table.end())).toBe(
      [
        'ID        COUNT  TEXT',
        'long-one      1  a',
        'b             2  b',
        'an-even-longer-one      3  c',
        '',
      ].join('\n'),
    );
  });

  it('shows objects whose fields are missing or of another type', async () => {
    const things = fc.dictionary(fc.constantFrom('id', 'count', 'text', 'other'), fc.jsonValue());
    const reckless: Column<Row>[] = [
      ...columns,
      { title: 'LENGTH', field: 'text', text: (row) => row.text.toUpperCase(), style: () => 'red' },
      {
        title: 'LOOK',
        field: 'id',
        text: (row) => row.id,
        style: (row) => (row.id.startsWith('a') ? 'red' : null),
      },
    ];
    await fc.assert(
      fc.asyncProperty(fc.array(things, { minLength: 1 }), async (items) => {
        const rowsOf = items as unknown as Row[];
        const text = await createTableFormat(reckless, everywhere, plain).formatItems(rowsOf);
        expect(text.split('\n')).toHaveLength(items.length + 2);
      }),
    );
    const odd = [{ count: null }, { id: 7, text: ['a', 'b'] }] as unknown as Row[];
    expect(await createTableFormat(columns, everywhere, plain).formatItems(odd)).toBe(
      ['ID  COUNT  TEXT', '-    null  -', '7       -  a, b', ''].join('\n'),
    );
  });

  it('has no text when the list is empty', async () => {
    const table = createTableFormat(columns, 80, plain);
    expect([await table.formatItems([]), await table.end()]).toEqual(['', '']);
  });

  it('shows a single object field by field, complete, in the received order', async () => {
    const table = createTableFormat<object>([], everywhere, plain);
    const thing = {
      id: 'whk_1',
      agentId: null,
      events: ['order.created', 'task.completed'],
      more: { a: 1 },
      text: 'one\ntwo',
    };
    expect(await table.formatItem(thing)).toBe(
      [
        'id       whk_1',
        'agentId  -',
        'events   order.created, task.completed',
        'more     {"a":1}',
        'text     one\\u000atwo',
        '',
      ].join('\n'),
    );
  });

  it('wraps the values of a single object, and shows long ones below their names', async () => {
    const table = createTableFormat<object>([], 40, plain);
    const webhook = {
      id: 'whk_01M7Z0B4E2J07ETJ9RNH0S2Y7C',
      events: ['order.created', 'order.status_changed'],
      pendingDeliveries: 3,
    };
    expect(await table.formatItem(webhook)).toBe(
      [
        'id',
        '  whk_01M7Z0B4E2J07ETJ9RNH0S2Y7C',
        'events',
        '  order.created, order.status_changed',
        'pendingDeliveries  3',
        '',
      ].join('\n'),
    );
    expect(await createTableFormat<object>([], 60, plain).formatItem(webhook)).toBe(
      [
        'id                 whk_01M7Z0B4E2J07ETJ9RNH0S2Y7C',
        'events             order.created, order.status_changed',
        'pendingDeliveries  3',
        '',
      ].join('\n'),
    );
  });

  it('shows records where the columns that stay whole do not fit', async () => {
    const table = createTableFormat(columns, 24, plain);
    const first = await table.formatItems([{ id: 'order-1', count: 5, text: 'short' }]);
    const second = await table.formatItems([
      { id: 'an-order-with-a-long-id', count: 5, text: 'one' },
      { id: 'order-3', count: 12, text: 'a text of several words' },
    ]);
    expect(first).toBe(['ID       COUNT  TEXT', 'order-1      5  short', ''].join('\n'));
    expect(second).toBe(
      [
        '',
        'ID',
        ' an-order-with-a-long-id',
        'COUNT  5',
        'TEXT   one',
        '',
        'ID     order-3',
        'COUNT  12',
        'TEXT',
        '  a text of several',
        '  words',
        '',
      ].join('\n'),
    );
  });

  it('wraps a column within its width, and pads the others', async () => {
    const wrapped: Column<Row>[] = [
      { title: 'ID', field: 'id' },
      { title: 'TEXT', field: 'text', whenNarrow: 'wrap' },
      { title: 'COUNT', field: 'count', align: 'right' },
    ];
    const table = createTableFormat(wrapped, 35, plain);
    const text = 'one two three four five six seven';
    expect(await table.formatItems([{ id: 'a', count: 1, text }])).toBe(
      [
        'ID  TEXT                      COUNT',
        'a   one two three four five       1',
        '    six seven',
        '',
      ].join('\n'),
    );
  });

  it('shows items as records where a wrapped sentence would get too narrow to be read', async () => {
    const wrapped: Column<Row>[] = [
      { title: 'ID', field: 'id' },
      { title: 'TEXT', field: 'text', whenNarrow: 'wrap' },
    ];
    const row = { id: 'order-1', count: 1, text: 'one two three four five six' };
    expect(await createTableFormat(wrapped, 32, plain).formatItems([row])).toBe(
      ['ID    order-1', 'TEXT  one two three four five', '      six', ''].join('\n'),
    );
  });

  it('has columns of a steady width, whose titles are not padded in records', async () => {
    const view: Column<Row>[] = [
      { title: 'ID', field: 'id', minWidth: 10 },
      { title: 'TEXT', field: 'text' },
    ];
    const row = { id: 'one', count: 1, text: 'short' };
    expect(await createTableFormat(view, 40, plain).formatItems([row])).toBe(
      'ID          TEXT\none         short\n',
    );
    expect(await createTableFormat(view, 12, plain).formatItems([row])).toBe(
      'ID    one\nTEXT  short\n',
    );
  });
});
