import { expect, it } from 'vitest';
import { screenText } from './screen-text';

/** Replaces `^` with the character that starts a terminal command. */
const withEscapes = (text: string) => text.replaceAll('^', String.fromCodePoint(0x1b));

it.each([
  ['plain lines', 'one\r\ntwo\r\n', 'one\ntwo\n'],
  ['no colours', '^[31merror:^[39m no', 'error: no'],
  ['a redrawn line once', '1/9\r^[2K9/9\r^[2Kdone\r\n', 'done\n'],
  ['the rest of a longer line', 'long line\rshort', 'shortline'],
  ['what a prompt overwrites', 'a\r\nb\r\n^[2A^[JA\r\nB\r\n', 'A\nB\n'],
  ['text after a cursor movement', 'abc^[1Gx^[2Cy', 'xbcy'],
  ['nothing of a hidden cursor', '^[?25lhello^[?25h', 'hello'],
])('screenText shows %s', (_, raw, shown) => {
  expect(screenText(withEscapes(raw))).toBe(shown);
});
