import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { escapeControlChars, printList, toJsonText } from '../../src/commands/output';

const hostile = 'a\u001b]0;x\u0007\u009b2J\nok  integrity\u202e';
const unsafe = /[\p{Cc}\u202e]/u;

/** Prints one item. */
function print(json: boolean): string {
  let text = '';
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  printList({ stdout, stderr: stdout }, [{ name: hostile }], { json, none: 'none' });
  return text;
}

test('text from a database is printed without what a terminal would act on', () => {
  expect(escapeControlChars(hostile)).toBe(
    'a\\u001b]0;x\\u0007\\u009b2J\\u000aok  integrity\\u202e',
  );
  const lines = print(false).trimEnd().split('\n');
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toMatch(unsafe);
});

test('JSON keeps its meaning, and has no such characters either', () => {
  expect(JSON.parse(toJsonText({ hostile }))).toEqual({ hostile });
  expect(print(true).trimEnd()).not.toMatch(unsafe);
  expect(JSON.parse(print(true))).toEqual([{ name: hostile }]);
});
