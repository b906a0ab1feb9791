import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as main from '../src/index';
import * as schemas from '../src/schemas';
import * as wire from '../src/wire';

const dist = new URL('../dist/', import.meta.url);

function built(file: string): string {
  const url = new URL(file, dist);
  if (!existsSync(url)) throw new Error(`dist/${file} is not built: run \`npm run build\``);
  return readFileSync(url, 'utf8');
}

/** Returns the modules that a built file loads. */
function loadedBy(file: string): string[] {
  const names = built(file).matchAll(/\b(?:from|import|require)\s*\(?\s*['"]([^'"]+)['"]/g);
  return [...new Set([...names].map(([, name = '']) => name))].sort();
}

describe('the schemas entry', () => {
  test.each(['schemas.js', 'schemas.cjs'])('%s loads zod and nothing else', (file) => {
    expect(loadedBy(file)).toEqual(['zod']);
  });

  test('it imports zod as a namespace, so that bundlers can tree-shake it', () => {
    const named = [...built('schemas.js').matchAll(/^import (.+) from "zod"/gm)];
    for (const [, names] of named) expect(names).toMatch(/^\* as \w+$/);
  });

  test.each(['schemas.d.ts', 'schemas.d.cts'])('%s does not mention ts-rest', (file) => {
    expect(loadedBy(file)).toEqual([expect.stringMatching(/^\.\/wire\.c?js$/), 'zod']);
    expect(built(file)).not.toContain('ts-rest');
  });

  test('the built file exports what the source exports', async () => {
    built('schemas.js');
    const loaded: unknown = await import(new URL('schemas.js', dist).href);
    expect(Object.keys(loaded as object).sort()).toEqual(Object.keys(schemas).sort());
  });

  test('it exports everything of the main entry except routes, attempt errors and event facts, and everything of the wire entry', () => {
    const others = [
      'contract',
      'commonProblems',
      'problemResponses',
      'attemptErrors',
      'describeRecipients',
      'eventFacts',
    ];
    expect([...Object.keys(schemas), ...others].sort()).toEqual(Object.keys(main).sort());
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(Object.keys(wire)));
  });
});
