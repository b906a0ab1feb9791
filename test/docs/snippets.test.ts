import { describe, expect, test } from 'vitest';
import { findSnippets } from './snippets';

const find = (...lines: string[]) =>
  findSnippets('A.md', lines.join('\n')).map(({ line, language, code }) => [line, language, code]);

describe('findSnippets', () => {
  test('finds each fenced block with its language, its line and its code', () => {
    const text = [
      '# Title',
      '',
      '```ts',
      'const a = 1;',
      '',
      'a;',
      '```',
      'text',
      '```',
      'b',
      '```',
    ];
    expect(find(...text)).toEqual([
      [3, 'ts', 'const a = 1;\n\na;\n'],
      [9, '', 'b\n'],
    ]);
  });

  test('returns the README of a block', () => {
    expect(findSnippets('packages/sdk/README.md', '```sh\n```')).toEqual([
      { readme: 'packages/sdk/README.md', line: 1, language: 'sh', code: '' },
    ]);
  });

  test('reads the first word after the fence as the language', () => {
    expect(find('``` ts title="a b"', '```')).toEqual([[1, 'ts', '']]);
  });

  test('closes a block with a fence of the same kind that is at least as long, and bare', () => {
    const text = ['````md', '```ts', '```', '~~~~', '````ts', '`````'];
    expect(find(...text)).toEqual([[1, 'md', '```ts\n```\n~~~~\n````ts\n']]);
    expect(find('~~~', '```', '~~~')).toEqual([[1, '', '```\n']]);
  });

  test('removes only the indentation of the fence from the code', () => {
    expect(find('1. First', '   ```sh', '   a \\', '     --b', ' c', '   ```')).toEqual([
      [2, 'sh', 'a \\\n  --b\nc\n'],
    ]);
  });

  test('ignores three backticks within a line', () => {
    expect(find('```not a fence``` but code', 'and a ``` too')).toEqual([]);
  });

  test('reads lines that end with CRLF', () => {
    expect(find('```ts\r', 'a\r', '```\r')).toEqual([[1, 'ts', 'a\n']]);
  });

  test('rejects a block that is never closed, and names its line', () => {
    expect(() => find('', '```ts', 'a')).toThrow('A.md:2 opens a block that is never closed.');
  });
});
