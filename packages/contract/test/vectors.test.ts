import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { vectorFiles } from '../src/vectors/vector-files';

const folder = new URL('../vectors/', import.meta.url);

test('the test vectors equal what the code generates', () => {
  expect(readdirSync(folder).toSorted()).toEqual(Object.keys(vectorFiles).toSorted());
  for (const [name, build] of Object.entries(vectorFiles)) {
    const written = readFileSync(new URL(name, folder), 'utf8');
    expect(
      written === `${JSON.stringify(build(), null, 2)}\n`,
      `${name} is out of date: run \`pnpm --filter @tradepost/contract vectors\``,
    ).toBe(true);
  }
});

test('no two test vectors have the same name, and no two are the same', () => {
  const vectors = Object.values(vectorFiles).flatMap((build) => build().vectors);
  const names = vectors.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const deliveries = vectors.map(({ name, expected, ...rest }) => JSON.stringify(rest));
  expect(new Set(deliveries).size).toBe(deliveries.length);
});

test('a test vector is accepted exactly if it has no code, and only with its Service-Signature', () => {
  for (const { expected, requireTimestamp } of Object.values(vectorFiles).flatMap(
    (build) => build().vectors,
  )) {
    expect(expected.accept).toBe(expected.code === null);
    if (expected.accept) expect(expected.serviceSignature).toBe(true);
    if (expected.accept && requireTimestamp) expect(expected.webhookSignature).toBe(true);
  }
});
