import { readFileSync } from 'node:fs';
import { attemptErrors } from '@tradepost/contract';
import { expect, test } from 'vitest';

test('the README explains each attempt error as the contract does', () => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  const rows = [...readme.matchAll(/^\| `(\w+)` +\| (.+?) +\|$/gm)];
  const documented = new Map(rows.map(([, name, meaning]) => [name, meaning]));
  for (const [name, { summary }] of Object.entries(attemptErrors)) {
    expect(documented.get(name)).toBe(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
  }
});
