import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJsonFormat, createNdjsonFormat } from '../../src/output/json';

const item = fc.record({ id: fc.string({ unit: 'binary' }), more: fc.jsonValue() });
const list = fc.array(fc.array(item));
/** Values as JSON has them: without `-0` and `__proto__`, which it does not tell apart. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('JSON', () => {
  it('is one document with all items, in however many parts they arrive', () => {
    fc.assert(
      fc.property(list, (parts) => {
        const format = createJsonFormat();
        const text = parts.map((part) => format.formatItems(part)).join('') + format.end();
        expect(JSON.parse(text)).toEqual(asJson(parts.flat()));
      }),
    );
  });

  it('is incomplete before its end, so that a part is not mistaken for the whole', () => {
    const text = createJsonFormat().formatItems([{ id: 'ord_1' }]);
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });

  it('is indented for people', () => {
    const format = createJsonFormat();
    expect(
      format.formatItems([{ id: 'a' }]) + format.formatItems([{ id: 'b' }]) + format.end(),
    ).toBe('[\n  {\n    "id": "a"\n  },\n  {\n    "id": "b"\n  }\n]\n');
    expect(createJsonFormat().end()).toBe('[]\n');
    expect(createJsonFormat().formatItem({ id: 'a' })).toBe('{\n  "id": "a"\n}\n');
  });
});

describe('ndjson', () => {
  it('has one object per line', () => {
    fc.assert(
      fc.property(list, (parts) => {
        const format = createNdjsonFormat();
        const text = parts.map((part) => format.formatItems(part)).join('') + format.end();
        const lines = text.split('\n').slice(0, -1);
        expect(lines.map((line) => JSON.parse(line))).toEqual(asJson(parts.flat()));
      }),
    );
  });
});

describe('JSON and ndjson', () => {
  it('have no terminal control characters', () => {
    fc.assert(
      fc.property(item, (one) => {
        for (const format of [createJsonFormat(), createNdjsonFormat()]) {
          const text = format.formatItem(one).replaceAll('\n', '');
          expect(text).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);
        }
      }),
    );
  });
});
