import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { orderView } from '../../src/commands/orders/order-view';
import type { OutputFormat } from '../../src/input/options';
import { parseIds } from '../../src/input/read-input';
import { chooseFormat } from '../../src/output/format';
import { aContext } from '../helpers/a-context';

const read = async (text: string) => (await parseIds(text, 'ord')).ids;
const rejection = (text: string) =>
  parseIds(text, 'ord').then(
    ({ ids }) => `read as ${ids}`,
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
    ['id,id', "'id' and 'id'"],
    ['id,status,ID', "'id' and 'ID'"],
    ['"id";"Id"', "'id' and 'Id'"],
    ['orderId,id', "'orderId' and 'id'"],
    ['\ufeffOrder ID,id,order_id', "'Order ID' and 'id' and 'order_id'"],
  ])('are rejected if several columns may have them: %s', async (head, columns) => {
    const mark = head.includes(';') ? ';' : ',';
    const row = head.split(mark).fill('ord_1').join(mark);
    expect(await rejection(`${head}\n${row}\n`)).toBe(`The IDs may be in the columns ${columns}`);
  });

  it('are those of the noun in question', async () => {
    const text = 'order_id,Delivery ID\nord_1,dlv_1\n';
    expect((await parseIds(text, 'ord')).ids).toEqual(['ord_1']);
    expect((await parseIds(text, 'dlv')).ids).toEqual(['dlv_1']);
    await expect(parseIds(text, 'ntf')).rejects.toThrow('Line 1 has no notification ID');
  });

  it('are rejected if a row does not match the heading, or a quote is not closed', async () => {
    expect(await rejection('id,note\nord_1,a\nord_2,b,c\n')).toMatch(/not valid CSV: .* line 3$/);
    expect(await rejection('note,id\n"a,ord_1\nb,ord_2\n')).toMatch(/not valid CSV: Quote/);
  });

  it('are rejected with the line of the row', async () => {
    const text = '\nnote,id\r\n"two\r\nlines",ord_1\r\n\r\n,\r\nc,x\r\nc,\r\n';
    expect(await rejection(text)).toBe('Line 7 has no order ID ("x"), nor have 1 more');
  });

  it('are rejected without a heading, because the column is unknown', async () => {
    expect(await rejection('ord_1,pending\nord_2,pending\n')).toContain(
      'Line 1 has no order ID ("ord_1,pending")',
    );
    expect(await rejection('order,status\nord_1,pending\n')).toContain(
      'Line 1 has no order ID ("order,status")',
    );
  });
});
