// cspell:words auftrag bestell kunde preis
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { orderView } from '../../src/commands/orders/order-view';
import { decodeText } from '../../src/files/decode-text';
import type { OutputFormat } from '../../src/input/options';
import { parseIds } from '../../src/input/parse-ids';
import { chooseFormat } from '../../src/output/format';
import { aContext } from '../helpers/a-context';

const read = async (text: string, prefix: 'ord' | 'dlv' = 'ord') =>
  (await parseIds(text, prefix)).rows.map(({ id }) => id);
const rejection = (text: string, columns = {}) =>
  parseIds(text, 'ord', columns).then(
    ({ rows }) => `read as ${rows.map(({ id }) => id)}`,
    (error: Error) => error.message,
  );

const id = fc.stringMatching(/^ord_[0-9A-HJKMNP-TV-Z]{1,26}$/);
/** Texts that try to break out of their cell. */
const cell = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    'a,b',
    'a;b',
    '"',
    '""',
    'a\nb',
    'a\r\nb',
    '\r',
    '\t',
    ' ',
    '=1+1',
    'id',
    'ord_x',
  ),
);

describe('IDs in our own output', () => {
  it('are read back from every machine-readable format, whatever the other fields contain', async () => {
    const order = fc.record({ id, buyerId: cell, listingId: cell, agentId: fc.option(cell) });
    const output = fc.constantFrom<OutputFormat>('json', 'ndjson', 'csv');
    const fields = fc.option(
      fc
        .shuffledSubarray([...orderView.fields].filter((field) => field !== 'id'))
        .chain((others) =>
          fc
            .nat(others.length)
            .map((at) => [...others.slice(0, at), 'id', ...others.slice(at)].join()),
        ),
      { nil: undefined },
    );
    const list = fc.array(fc.array(order, { maxLength: 4 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(list, output, fields, async (pages, form, names) => {
        const options = { output: form, ...(names === undefined ? {} : { fields: names }) };
        const format = await chooseFormat(options, orderView, aContext());
        let text = '';
        for (const page of pages) text += await format.formatItems(page.map(anOrder));
        text += await format.end();
        const ids = [...new Set(pages.flat().map((one) => one.id))];
        expect(await read(text)).toEqual(ids);
      }),
      { numRuns: 500 },
    );
  });
});

describe('IDs of a spreadsheet', () => {
  it.each([
    ['semicolons and a byte order mark', '\ufeffid;status\r\nord_1;pending\r\nord_2;pending\r\n'],
    ['tabs, after an empty cell', 'note\tid\n\tord_1\nx\tord_2\n'],
    ['a column in between', 'status,id,quantity\npending,ord_1,5\npending,ord_2,5\n'],
    ['quotes around everything', '"status","id"\r\n"pending","ord_1"\r\n"pending","ord_2"\r\n'],
    ['a heading in capitals', 'STATUS,ID\npending,ord_1\npending,ord_2\n'],
    ['spaces around cells', ' id , status \n ord_1 , pending \n ord_2 ,x\n'],
    ['rows that were emptied', 'id;status\r\nord_1;x\r\n;\r\n\r\nord_2;x\r\n;\r\n'],
    ['empty cells left out at the end', 'id,status,note\nord_1,x\nord_2\n'],
    ['columns without a heading', 'id,,\nord_1,a,b\nord_2,,\n'],
    ['text with commas, quotes and lines', 'note,id\n"a, ""b""\r\nc",ord_1\n"\n",ord_2\n'],
    ['line ends of two systems', 'id,status\r\nord_1,x\nord_2,y\r\n'],
    ['line ends of an old Mac', 'id,status\rord_1,x\rord_2,y\r'],
    ['a title above the heading', 'Orders of May\nid,status\nord_1,x\nord_2,y\n'],
    ['a title with empty cells', 'Orders of May;;\n;;\nNo.;Status;\nord_1;x;\nord_2;y;\n'],
    ['a title of two cells', 'Orders;Printed on Friday;\nNo.;Kunde;Status\nord_1;x;a\nord_2;y;b\n'],
    ['a title with the separator', 'Report, week 48\nNo.,Kunde,Status\nord_1,x,a\nord_2,y,b\n'],
    ['two titles', 'Orders\nMay\nNo.,Status\nord_1,x\nord_2,y\n'],
    ['empty lines before the heading', '\n\r\nid,status\nord_1,x\nord_2,y\n'],
    ['ids alone', 'id\nord_1\nord_2\n'],
    ['an id of something else too', 'listingId,id\nord_9,ord_1\nord_8,ord_2\n'],
    ...[
      'order_id',
      'Order ID',
      'orderId',
      'ORDER ID',
      'OrderId',
      'order-id',
      'Id',
      '"Order ID"',
    ].flatMap((heading): [string, string][] => [
      [`the heading ${heading}`, `${heading},status\nord_1,x\nord_2,y\n`],
      [`the heading ${heading} alone`, `${heading}\r\nord_1\r\nord_2\r\n`],
      [
        `the heading ${heading} after a byte order mark`,
        `\ufeff${heading};x\r\nord_1;\r\nord_2;\r\n`,
      ],
    ]),
  ])('are read: %s', async (_, text) => {
    expect(await read(text)).toEqual(['ord_1', 'ord_2']);
  });

  it.each([
    ['id,id', "'id', 'id'"],
    ['id,status,ID', "'id', 'ID'"],
    ['"id";"Id"', "'id', 'Id'"],
    ['orderId,id', "'orderId', 'id'"],
    ['\ufeffOrder ID,id,order_id', "'Order ID', 'id', 'order_id'"],
  ])('are rejected if several columns may have them: %s', async (head, columns) => {
    const mark = head.includes(';') ? ';' : ',';
    const row = head.split(mark).fill('ord_1').join(mark);
    expect(await rejection(`${head}\n${row}\n`)).toBe(`Several columns have order IDs: ${columns}`);
  });

  it('are those of the noun in question', async () => {
    const text = 'order_id,Delivery ID\nord_1,dlv_1\n';
    expect(await read(text)).toEqual(['ord_1']);
    expect(await read(text, 'dlv')).toEqual(['dlv_1']);
    await expect(parseIds(text, 'ntf')).rejects.toThrow(
      "No column has notification IDs: 'order_id', 'Delivery ID'",
    );
  });

  it('are rejected if a row does not match the heading, or a quote is not closed', async () => {
    expect(await rejection('id,note\nord_1,a\nord_2,b,c\n')).toMatch(/not valid CSV: .* line 3$/);
    expect(await rejection('note,id\n"a,ord_1\nb,ord_2\n')).toMatch(/not valid CSV: Quote/);
  });

  it('are rejected with the line of the row', async () => {
    const text = '\nnote,id\r\n"two\r\nlines",ord_1\r\n\r\n,\r\nc,x\r\nc,\r\n';
    expect(await rejection(text)).toBe('Line 7 has no order ID ("x"), nor have 1 more');
  });

  it('are those of the only column that has some, whatever its heading is', async () => {
    const text = 'Kunde, Ort;Bestell-Nr.;Preis\r\nMüller, Köln;ord_1;3,50\r\nx;ord_2;4\r\n;;\r\n';
    expect(await parseIds(text, 'ord')).toMatchObject({
      rows: [
        { id: 'ord_1', where: 'Line 2' },
        { id: 'ord_2', where: 'Line 3' },
      ],
      column: 'Bestell-Nr.',
    });
    expect(await read('id;Auftrag\n17;ord_1\n18;ord_2\n')).toEqual(['ord_1', 'ord_2']);
    expect(await read('Order No.\r\nord_1\r\nord_2\r\n')).toEqual(['ord_1', 'ord_2']);
    expect(await read('"Order\nNo.";Kunde\r\nord_1;a\r\n')).toEqual(['ord_1']);
    expect(await read('ord_id,note\nord_1,\n')).toEqual(['ord_1']);
  });

  it('are those of the only column that has some, without a heading too', async () => {
    const { rows, column } = await parseIds('x,ord_1,pending\ny,ord_2,pending\n', 'ord');
    expect(rows.map(({ id }) => id)).toEqual(['ord_1', 'ord_2']);
    expect(column).toBe('2');
  });

  it('are rejected if several columns or none have some, with their names', async () => {
    expect(await rejection('Old;New\r\nord_1;ord_2\r\n')).toBe(
      "Several columns have order IDs: 'Old', 'New'",
    );
    expect(await rejection('Kunde;Preis\r\nMüller;3,50\r\n')).toBe(
      "No column has order IDs: 'Kunde', 'Preis'",
    );
    expect(await rejection('Order No.;Replaces\nord_1;\nrd_2;ord_1\n')).toContain('Several');
  });

  it('are rejected rather than left out if the rows above the first one have none', async () => {
    expect(await rejection('Order No.;Kunde;\n4711;x;a\nord_2;y;b\n')).toContain('Line 2');
    expect(await rejection('Order No.;Kunde;Status\nrd_1;x;a\nord_2;y;b\n')).toContain('Line 2');
  });

  it('are rejected if two columns have the name that was given for the values', async () => {
    const text = 'Order No.;Status;Status\nord_1;a;b\n';
    const read = parseIds(text, 'ord', { valueColumn: 'status' });
    await expect(read).rejects.toMatchObject({
      message: "2 columns have the name 'status': 'Order No.', 'Status', 'Status'",
      hints: ['Nothing changed. Name the column with the statuses: --status-column NAME.'],
    });
  });

  it('are those of the column that was named', async () => {
    const text = 'Old;New\r\nord_1;ord_2\r\n';
    const { rows } = await parseIds(text, 'ord', { idColumn: 'new' });
    expect(rows).toMatchObject([{ id: 'ord_2' }]);
    expect(await rejection(text, { idColumn: 'Newer' })).toBe("No column 'Newer': 'Old', 'New'");
    const json = '[{"id":"ntf_1","orderId":"ord_1"}]';
    const named = await parseIds(json, 'ord', { idColumn: 'orderId' });
    expect(named.rows).toMatchObject([{ id: 'ord_1' }]);
  });

  it('are not skipped as a heading if the first one has a mistake', async () => {
    const broken = 'rd_01KAJ8Q0V7T3M5X9R2C4D6F8GH';
    const whole = 'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GJ';
    const message = `Line 1 has no order ID ("${broken}")`;
    expect(await rejection(`${broken}\n${whole}\n`)).toContain(message);
    expect(await rejection(`${broken};Müller\n${whole};Meier\n`)).toContain(message);
  });

  it('are found below a title by the name of their column too', async () => {
    const text = 'Orders of May;;\nOld;New;To\nord_1;ord_2;confirmed\n';
    const columns = { idColumn: 'new', valueColumn: 'to' };
    expect((await parseIds(text, 'ord', columns)).rows).toEqual([
      { id: 'ord_2', value: 'confirmed', where: 'Line 3' },
    ]);
  });

  it('are none in an empty text, whatever column is named', async () => {
    for (const text of ['', '\n', '[]', 'id,status\n']) {
      expect((await parseIds(text, 'ord', { valueColumn: 'status' })).rows).toEqual([]);
    }
  });

  it('have the cells of another column beside them', async () => {
    const text = 'Order;Status\nord_1;confirmed\nord_2\nord_1;confirmed\n';
    const { rows, repeated } = await parseIds(text, 'ord', { valueColumn: 'status' });
    expect(rows.map(({ id, value }) => [id, value])).toEqual([
      ['ord_1', 'confirmed'],
      ['ord_2', ''],
    ]);
    expect(repeated).toBe(1);
    const contrary = `${text}ord_1;cancelled\n`;
    expect(await rejection(contrary, { valueColumn: 'Status' })).toBe(
      'Line 5 has ord_1 with another value than line 2',
    );
    expect(await rejection('[{"id":"ord_1"}]', { valueColumn: 'status' })).toBe(
      "No item has the field 'status'",
    );
  });

  it.each([
    [
      'Excel, CSV UTF-8, in a German locale',
      '\ufeffOrder No.;Kunde\r\nord_1;Müller\r\nord_2;"a;b"\r\n;\r\n',
      'utf8',
    ],
    ['Excel, CSV, in a German locale', 'Order No.;Kunde\r\nord_1;Müller\r\nord_2;x\r\n', 'latin1'],
    ['Excel, Unicode text', '\ufeffOrder No.\tKunde\r\nord_1\tMüller\r\nord_2\tx\r\n', 'utf16le'],
    ['LibreOffice', 'Order No.,Kunde\nord_1,"Müller, Köln"\nord_2,\n', 'utf8'],
    ['Google Sheets', 'Order No.,Kunde\r\nord_1,"say ""hi"""\r\nord_2,', 'utf8'],
    [
      'PowerShell 5, Export-Csv',
      '#TYPE System.Management.Automation.PSCustomObject\r\n"Order No","Kunde"\r\n"ord_1","Meier"\r\n"ord_2",\r\n',
      'ascii',
    ],
    ['PowerShell 5, Out-File', '\ufefford_1\r\nord_2\r\n', 'utf16le'],
    [
      'a report that names its separator',
      'sep=;\r\nOrder No.;Kunde\r\nord_1;a,b\r\nord_2;x\r\n',
      'utf8',
    ],
  ] as const)('are read as it saves them: %s', async (_, text, encoding) => {
    const bytes = Buffer.from(text, encoding);
    expect(await read(decodeText(bytes, 'orders.csv', 'windows-1252'))).toEqual(['ord_1', 'ord_2']);
  });

  it('are found in a table of any shape, and only where they are', async () => {
    const other = fc.stringMatching(/^[A-Za-zäöü0-9 ,;"=.-]{0,12}$/);
    const table = fc.record({
      mark: fc.constantFrom(',', ';', '\t'),
      newline: fc.constantFrom('\n', '\r\n'),
      heading: fc.stringMatching(/^[A-Za-zäöü][A-Za-zäöü .#-]{0,12}$/),
      others: fc.array(fc.stringMatching(/^[A-Za-zäöü][A-Za-z ,;".]{0,12}$/), {
        minLength: 1,
        maxLength: 4,
      }),
      rows: fc.array(fc.tuple(id, fc.array(other, { minLength: 4, maxLength: 4 })), {
        minLength: 1,
        maxLength: 5,
      }),
      at: fc.nat(4),
    });
    const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
    await fc.assert(
      fc.asyncProperty(table, async ({ mark, newline, heading, others, rows, at }) => {
        // Without a heading that names IDs, and none that looks like a heading of them.
        fc.pre(![heading, ...others].some((name) => /id$/i.test(name.replaceAll(' ', ''))));
        const place = Math.min(at, others.length);
        const line = (cell: string, rest: readonly string[]) =>
          [...rest.slice(0, place), cell, ...rest.slice(place, others.length)]
            .map(quote)
            .join(mark);
        const lines = [line(heading, others), ...rows.map(([one, rest]) => line(one, rest))];
        expect(await parseIds(lines.join(newline), 'ord')).toMatchObject({
          rows: [...new Set(rows.map(([one]) => one))].map((one) => ({ id: one })),
          column: heading.trim(),
        });
      }),
      { numRuns: 300 },
    );
  });
});
