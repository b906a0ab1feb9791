import { expect, it } from 'vitest';
import { screenText } from '../../helpers/screen-text';

/** Puts the character that begins a command to the terminal where `^` stands. */
const sent = (text: string) => text.replaceAll('^', String.fromCodePoint(0x1b));

it.each([
  ['lines as they are', 'one\r\ntwo\r\n', 'one\ntwo\n'],
  ['no colours', '^[31merror:^[39m no', 'error: no'],
  ['a line that is drawn anew once', '1/9\r^[2K9/9\r^[2Kdone\r\n', 'done\n'],
  ['what is left of a longer line', 'long line\rshort', 'shortline'],
  ['what a prompt draws over', 'a\r\nb\r\n^[2A^[JA\r\nB\r\n', 'A\nB\n'],
  ['a cursor that is moved to a column', 'abc^[1Gx^[2Cy', 'xbcy'],
  ['nothing of a cursor that is hidden', '^[?25lhello^[?25h', 'hello'],
])('shows %s', (_, raw, shown) => {
  expect(screenText(sent(raw))).toBe(shown);
});
