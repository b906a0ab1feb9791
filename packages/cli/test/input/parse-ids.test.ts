import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseIds } from '../../src/input/parse-ids';

const read = async (text: string) => (await parseIds(text, 'ord')).rows.map(({ id }) => id);

/** Returns the error for a text. */
async function rejection(text: string): Promise<{ message: string; hint: unknown }> {
  try {
    return { message: `read as ${JSON.stringify(await parseIds(text, 'ord'))}`, hint: null };
  } catch (error) {
    expect(error).toMatchObject({ name: 'CliError', code: 'usage', hints: [expect.any(String)] });
    const { message, hint }: { message: string; hint: unknown } = Object.assign(
      { message: '', hint: null },
      { message: error instanceof Error ? error.message : '' },
      {
        hint:
          typeof error === 'object' && error !== null && 'hints' in error
            ? String(error.hints)
            : null,
      },
    );
    return { message, hint };
  }
}

describe('IDs as separate words', () => {
  it.each([
    ['one a line', 'ord_1\nord_2\n'],
    ['lines of Windows', 'ord_1\r\nord_2\r\n'],
    ['lines of an old Mac', 'ord_1\rord_2'],
    ['no end of the last line', 'ord_1\nord_2'],
    ['several on a line', 'ord_1 ord_2'],
    ['tabs and spaces around them', '\t ord_1\n  ord_2  \n'],
    ['empty lines', '\n\nord_1\n\r\n   \nord_2\n\n'],
    ['a byte order mark', '\ufefford_1\nord_2'],
    ['byte order marks of several files', '\ufefford_1\n\ufefford_2\n'],
    ['the quotes that jq puts around texts', '"ord_1"\n"ord_2"\n'],
  ])('are read: %s', async (_, text) => {
    expect(await read(text)).toEqual(['ord_1', 'ord_2']);
  });

  it('are read once each, in order, and repetitions are counted', async () => {
    expect(await parseIds('ord_2\nord_1\nord_2\nord_2\n', 'ord')).toMatchObject({
      rows: [{ id: 'ord_2' }, { id: 'ord_1' }],
      repeated: 2,
    });
  });

  it('are read in order, whatever white space separates them', async () => {
    const id = fc.stringMatching(/^ord_[\w.~=+:-]{1,40}$/);
    const blank = fc.constantFrom('\n', '\r\n', ' ', '\t', '\n\n', ' \r\n');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(id, blank), { minLength: 1 }), async (parts) => {
        const { rows, repeated } = await parseIds(parts.flat().join(''), 'ord');
        expect(rows.map((row) => row.id)).toEqual([...new Set(parts.map(([one]) => one))]);
        expect(rows.length + repeated).toBe(parts.length);
      }),
    );
  });
});

describe('an invalid ID', () => {
  it.each([
    'ord_',
    'ORD_1',
    'ntf_1',
    'order',
    'ord_1/../ord_2',
    'ord_1?x=1',
    'ord_1#x',
    'ord_%2e%2e',
    'ord_1\\..',
    'ord_1\u0007',
    'ord_1\u001b[2J',
    'ord_1\u200b',
    'ord_1,ord_2',
    'ord_1,pending',
    'ord_1;pending',
    "'ord_1'",
    '"ord_1',
    'ord_１',
    '=ord_1',
    `ord_${'1'.repeat(201)}`,
  ])('%j is rejected, together with all other input', async (text) => {
    const { message, hint } = await rejection(`ord_1\n${text}\nord_2`);
    expect(message).toMatch(/^Line 2 has no order ID \("/);
    expect(hint).toContain('Nothing changed. IDs begin with ord_.');
  });

  it.each(['ord_1/x', 'ord_1 ', 'ord_1\n', 'ord_1\u0000', 'ord_1,ord_2', 1, null, true, ['ord_1']])(
    '%j is rejected as the ID of an object too',
    async (id) => {
      const line = JSON.stringify({ id });
      expect((await rejection(`{"id":"ord_1"}\n\n${line}`)).message).toContain(
        'Line 3 has no order ID (',
      );
      expect((await rejection(`[{"id":"ord_1"},${line}]`)).message).toContain(
        'Item 2 has no order ID (',
      );
    },
  );

  it('is reported with its position, and the others are counted', async () => {
    const text = `ord_1\nx1\nx2 x3\n\nx4\r\n`;
    expect((await rejection(text)).message).toBe('Line 2 has no order ID ("x1"), nor have 3 more');
  });

  it('is truncated in the message, however long it is', async () => {
    const { message } = await rejection(`ord_1\n${'x'.repeat(5_000_000)}`);
    expect(message.length).toBeLessThan(200);
  });

  it('is a workbook, which is not CSV', async () => {
    const { message, hint } = await rejection('PK\u0003\u0004\u0014\u0000\u0006');
    expect(message).toBe('Input is a workbook');
    expect(hint).toContain('CSV UTF-8');
  });

  it('is never accepted as an ID with a path, whatever the text is', async () => {
    const part = fc.oneof(
      fc.constantFrom('ord_', 'id', '{', '[', '"', ',', ';', '\t', '\n', '\r', ':', '..', '/', '?'),
      fc.string({ unit: 'binary', maxLength: 5 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 20 }), async (parts) => {
        const outcome = await parseIds(parts.join(''), 'ord').catch((error: unknown) => error);
        if (outcome instanceof Error) {
          expect(outcome).toMatchObject({ name: 'CliError', code: 'usage' });
          return;
        }
        expect(outcome).toMatchObject({ rows: expect.any(Array) });
        const { rows } = Object.assign({ rows: [{ id: '' }] }, outcome);
        for (const row of rows) expect(row.id).toMatch(/^ord_[\w.~=+:-]{1,200}$/);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('JSON', () => {
  it.each([
    ['an array of objects', '[\n  {\n    "id": "ord_1"\n  },\n  { "id": "ord_2" }\n]\n'],
    ['an array of ids', '["ord_1","ord_2"]'],
    ['an object a line', '{"id":"ord_1"}\n{"id":"ord_2"}\n'],
    ['lines of Windows', '{"id":"ord_1"}\r\n\r\n{"id":"ord_2"}\r\n'],
  ])('is read: %s', async (_, text) => {
    expect(await read(text)).toEqual(['ord_1', 'ord_2']);
  });

  it('is read as a single object over several lines, as `orders get` prints it', async () => {
    expect(await read(`${JSON.stringify({ id: 'ord_1', status: 'x' }, null, 2)}\n`)).toEqual([
      'ord_1',
    ]);
  });

  it('without an ID is reported with its position', async () => {
    const { message } = await rejection('[{"id":"ord_1"},{"orderId":"ord_2"},null,[]]');
    expect(message).toBe('Item 2 has no order ID, nor have 2 more');
    expect((await rejection('{"data":[]}')).message).toBe('The object has no order ID');
  });

  it('is rejected if it is truncated, with the required form', async () => {
    const array = await rejection('[{"id":"ord_1"},');
    expect(array.message).toMatch(/^Input is not a JSON array: /);
    const lines = await rejection('{"id":"ord_1"}\n\n{"id":"ord_2"');
    expect(lines.message).toMatch(/^Line 3 is not JSON: /);
    expect(lines.hint).toContain('Nothing changed.');
    const laidOut = await rejection('{\n  "id": "ord_1"\n}\n{\n  "id": "ord_2"\n}\n');
    expect(laidOut.message).toMatch(/^Line 1 is not JSON: /);
    expect(laidOut.hint).toContain('`jq -c`');
  });
});
