import { describe, expect, test } from 'vitest';
import { findCommands } from './find-commands';

const find = (language: string, ...lines: string[]) =>
  findCommands({ readme: 'A.md', line: 7, language, code: lines.map((l) => `${l}\n`).join('') });

describe('findCommands', () => {
  test('reads each line of sh as a command, without blank lines and comments', () => {
    expect(find('sh', '# First', 'a --b # why', '', '  c')).toEqual([
      { text: 'a --b # why', output: undefined, exitCode: 0 },
      { text: '  c', output: undefined, exitCode: 0 },
    ]);
  });

  test('joins lines that continue after a backslash', () => {
    expect(find('sh', 'a \\', '  --b \\', '  --c', 'd').map(({ text }) => text)).toEqual([
      'a \\\n  --b \\\n  --c',
      'd',
    ]);
    expect(find('console', '$ a \\', '  --b', 'out')).toEqual([
      { text: 'a \\\n  --b', output: ['out'], exitCode: 0 },
    ]);
  });

  test('reads what follows a console prompt as a command, and the rest as its output', () => {
    expect(find('console', '$ a', 'one', '', ' two', '$ b', '$ c', 'three')).toEqual([
      { text: 'a', output: ['one', '', ' two'], exitCode: 0 },
      { text: 'b', output: [], exitCode: 0 },
      { text: 'c', output: ['three'], exitCode: 0 },
    ]);
  });

  test('reads the exit code from below `echo $?`', () => {
    expect(find('console', '$ a', 'no', '$ echo $?', '6', '$ b')).toEqual([
      { text: 'a', output: ['no'], exitCode: 6 },
      { text: 'b', output: [], exitCode: 0 },
    ]);
  });

  test('rejects a console that starts with output', () => {
    expect(() => find('console', 'out', '$ a')).toThrow('A.md:7 shows output without a command.');
  });
});
