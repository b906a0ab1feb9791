import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { entries, renderApi, reportPath } from '../scripts/render-api';

const command = 'npx pnpm@10.34.9 --filter @tradepost/sdk run api';

describe.each(entries)('the public API of the entry %s', (entry) => {
  test('equals the committed report', () => {
    const report = readFileSync(reportPath(entry), 'utf8');
    const advice = `api/${entry}.d.ts is not what users would get. If you meant to change that: build, run ${command}, and commit what it writes.`;
    expect(renderApi(entry), advice).toBe(report);
  });

  test('is the same in CommonJS', () => {
    expect(renderApi(entry, 'cts')).toBe(renderApi(entry));
  });
});

test('every optional parameter and option takes undefined, as if it were left out', () => {
  const inputs =
    /^export interface (\w+(?:Params|Options|Logger|Hooks)) .*?^\}|^ {2}options\?: \{.*?^ {2}\}/gms;
  const properties = entries.flatMap((entry) =>
    [...renderApi(entry).matchAll(inputs)].flatMap(([text, owner = 'options']) =>
      [...text.matchAll(/^ +(?:readonly )?(\w+)\?(: [^;]*|\([^;]*);/gm)].map(
        ([, property, type]) => ({
          name: `${entry} ${owner}.${property}`,
          type,
        }),
      ),
    ),
  );
  expect(properties.length).toBeGreaterThan(100);
  for (const { name, type } of properties) expect(type, name).toMatch(/\b(undefined|unknown)\b/);
});
