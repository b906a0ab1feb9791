import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { verdict, verifiers } from '../helpers/verifiers';

/** A vector of `@tradepost/contract/vectors`: what other implementations read too. */
interface Vector {
  name: string;
  secrets: string[];
  requireTimestamp: boolean;
  headers: Record<string, string>;
  body: string;
  expected: { accept: boolean; code: string | null };
}

interface VectorFile {
  now: number;
  toleranceSeconds: number;
  vectors: Vector[];
}

const folder = new URL('../../../contract/vectors/', import.meta.url);
const files = readdirSync(folder).map((name) => ({
  name,
  file: JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as VectorFile,
}));

describe.each(verifiers)('%s', (_, verify) => {
  describe.each(files)('on $name', ({ file: { now, toleranceSeconds, vectors } }) => {
    test.each(vectors)('gives the expected verdict on $name', async (vector) => {
      const options = {
        payload: Buffer.from(vector.body, 'base64'),
        headers: vector.headers,
        secrets: vector.secrets,
        requireTimestamp: vector.requireTimestamp,
        tolerance: toleranceSeconds,
        now: now * 1_000,
      };
      expect(await verdict(verify(options))).toBe(vector.expected.code ?? 'accepted');
    });
  });
});
