import { expect, test } from 'vitest';
import { makeLinksAbsolute } from '../../scripts/absolute-links.mjs';

const address = 'https://github.com/o/n/blob/@o/n@1.0.0/packages/sdk/README.md';
const website = 'https://github.com/o/n/blob/@o/n@1.0.0';

test.each([
  ['a file of the same folder', '[a](OTHER.md)', `[a](${website}/packages/sdk/OTHER.md)`],
  ['a section', '[a](OTHER.md#part)', `[a](${website}/packages/sdk/OTHER.md#part)`],
  ['a file further up', '[a](../../docs/a.md)', `[a](${website}/docs/a.md)`],
  ['a title', '[a](./a.md "b")', `[a](${website}/packages/sdk/a.md "b")`],
  ['angle brackets', '[a](<a b.md>)', `[a](<${website}/packages/sdk/a%20b.md>)`],
  ['a definition', '[a][b]\n\n[b]: c.md', `[a][b]\n\n[b]: ${website}/packages/sdk/c.md`],
  ['a table', '| a |\n| - |\n| [b](c.md) |', `| a |\n| - |\n| [b](${website}/packages/sdk/c.md) |`],
  [
    'two links',
    '[a](a.md), [b](b.md).',
    `[a](${website}/packages/sdk/a.md), [b](${website}/packages/sdk/b.md).`,
  ],
  ['Windows line ends', 'a\r\n\r\n[a](a.md)\r\n', `a\r\n\r\n[a](${website}/packages/sdk/a.md)\r\n`],
])('a link with %s becomes absolute', (_, markdown, expected) => {
  expect(makeLinksAbsolute(markdown, address)).toBe(expected);
});

test('an image becomes the address of its file, also within a link', () => {
  const file = 'https://github.com/o/n/raw/@o/n@1.0.0/packages/sdk/a.png';
  expect(makeLinksAbsolute('![a](a.png)', address)).toBe(`![a](${file})`);
  expect(makeLinksAbsolute('[![a](a.png)](b.md)', address)).toBe(
    `[![a](${file})](${website}/packages/sdk/b.md)`,
  );
});

test.each([
  ['a link within the document', '[a](#part)'],
  ['an absolute link', '[a](https://example.com/a.md) and <https://example.com>'],
  ['inline code', '`[a](a.md)`'],
  ['a block of code', '```md\n[a](a.md)\n```\n'],
  ['other text', '* a\n*  b\n\n\tc [d] (e.md) \\[f](g.md)\n'],
])('%s stays as it is', (_, markdown) => {
  expect(makeLinksAbsolute(markdown, address)).toBe(markdown);
});
