import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getTerminalWidth, wrap, wrapCommand, wrapEntry } from '../../src/output/text';
import { FakeStream } from '../helpers/fake-stream';

const word = fc.string({ unit: fc.constantFrom('a', 'b', '_', '.'), minLength: 1, maxLength: 50 });
const words = fc.array(word, { minLength: 1, maxLength: 30 });
const width = fc.integer({ min: 1, max: 200 });
const indents = fc.record({ indent: fc.nat(8), hanging: fc.nat(8) });

describe('wrap', () => {
  it('keeps all words, whole and in order, and every line within the width', () => {
    fc.assert(
      fc.property(words, width, indents, (texts, cells, options) => {
        const lines = wrap(texts.join(' '), cells, options);
        expect(lines.join(' ').trim().split(/ +/)).toEqual(texts);
        for (const line of lines) {
          expect(line).not.toMatch(/ $/);
          // A word that is wider than the terminal stays whole.
          if (line.includes(' ')) expect(line.length).toBeLessThanOrEqual(cells);
        }
      }),
    );
  });

  it('changes nothing without a width, or where everything fits', () => {
    expect(wrap('one  two', Number.POSITIVE_INFINITY)).toEqual(['one  two']);
    expect(wrap('one  two', 8)).toEqual(['one  two']);
  });

  it('keeps a command in back-quotes on one line', () => {
    const hint = 'To see the order, run `tradepost orders get ord_1`.';
    expect(wrap(hint, 40)).toEqual(['To see the order, run', '`tradepost orders get ord_1`.']);
    expect(wrap(hint, 29, { hanging: 4 })).toEqual([
      'To see the order, run',
      '`tradepost orders get ord_1`.',
    ]);
  });

  it('breaks a longer command so that a shell runs it as it is copied', () => {
    const hint = "Nothing changed. Resume with: `tradepost resume 'my file' --yes`.";
    expect(wrap(hint, 32, { hanging: 2 })).toEqual([
      'Nothing changed. Resume with:',
      "  `tradepost resume 'my file' \\",
      '    --yes`.',
    ]);
    expect(wrap('Write `webhook-id: value` there', 12)).toEqual([
      'Write',
      '`webhook-id:',
      'value` there',
    ]);
  });

  it('lessens the indent for a word that would not fit otherwise', () => {
    expect(wrap('see aaaaaaaaaa here', 11, { hanging: 4 })).toEqual([
      'see',
      ' aaaaaaaaaa',
      '    here',
    ]);
  });

  it('counts no cells for colours, and two for what may be wide', () => {
    expect(wrap('\u001b[31merror:\u001b[39m no', 9)).toEqual(['\u001b[31merror:\u001b[39m no']);
    expect(wrap('注文 注文', 8)).toEqual(['注文', '注文']);
    expect(wrap('Café Zoë', 8)).toEqual(['Café Zoë']);
  });
});

describe('wrapEntry', () => {
  const options = { indent: 2, below: 6 };

  it('has the description beside its term, aligned', () => {
    expect(wrapEntry('--all  ', 'show all orders that there are', 37, options)).toEqual([
      '  --all    show all orders that there',
      '           are',
    ]);
  });

  it('has it below the term where the column would be narrow, or a word too wide for it', () => {
    expect(wrapEntry('--reconnect', 'how long to retry', 30, options)).toEqual([
      '  --reconnect',
      '      how long to retry',
    ]);
    const url = `see ${'a'.repeat(28)}`;
    expect(wrapEntry('--forward', url, 38, options)).toEqual(['  --forward', `      ${url}`]);
  });
});

describe('wrapCommand', () => {
  const command = "$ tradepost orders list --since 2d --jq '.[] | .id'";

  it('breaks a command so that a shell runs it as it is copied', () => {
    expect(wrapCommand(command, 40, 2)).toEqual([
      '  $ tradepost orders list --since 2d \\',
      "    --jq '.[] | .id'",
    ]);
  });

  it('keeps a word in quotes whole, even if it is wider than a line', () => {
    expect(wrapCommand(command, 12, 2).slice(-2)).toEqual(['    --jq \\', "'.[] | .id'"]);
  });

  it('keeps every character of a word that is quoted in parts', () => {
    const quoted = `curl --data-raw '{"reason":"it'\\''s  late \\ today"}' --url "a \\" b" x`;
    for (const width of [10, 20, 40, 60]) {
      const lines = wrapCommand(quoted, width);
      expect(lines.map((line) => line.replace(/ \\$/, '').trimStart()).join(' ')).toBe(quoted);
    }
  });

  it('keeps it on one line if it fits', () => {
    expect(wrapCommand(command, 53, 2)).toEqual([`  ${command}`]);
  });
});

describe('getTerminalWidth', () => {
  it('is unlimited for a pipe, and for a terminal that does not know its width', () => {
    expect(getTerminalWidth(new FakeStream({ columns: 40 }))).toBe(40);
    expect(getTerminalWidth(new FakeStream({ columns: 0 }))).toBe(Number.POSITIVE_INFINITY);
    expect(getTerminalWidth(new FakeStream())).toBe(Number.POSITIVE_INFINITY);
  });
});
