import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { orderStatuses } from '@tradepost/contract';
import { allowedTransitions } from '@tradepost/domain/orders/order';
import { expect, it } from 'vitest';
import { checkout } from '../helpers/programs';
import { findSnippets } from './snippets';

/** Reads the code of the diagrams in a document, in order. */
async function readDiagrams(document: string): Promise<string[]> {
  const text = await readFile(join(checkout, document), 'utf8');
  return findSnippets(document, text)
    .filter(({ language }) => language === 'mermaid')
    .map(({ code }) => code);
}

it("README's diagram of an order's life has exactly the transitions that the rules allow", async () => {
  const [life = ''] = await readDiagrams('README.md');
  const drawn = Array.from(life.matchAll(/^ *(\w+) --> (\w+)$/gm), ([, from, to]) => [from, to]);
  const allowed = orderStatuses.flatMap((from) => allowedTransitions(from).map((to) => [from, to]));
  expect(drawn).toEqual(allowed);
  const ends = Array.from(life.matchAll(/^ *(\w+) --> \[\*\]/gm), ([, status]) => status);
  expect(ends).toEqual(orderStatuses.filter((status) => allowedTransitions(status).length === 0));
});

it("ARCHITECTURE.md's map of the server has its folders, in the order that the dependency rules enforce", async () => {
  const [, floors = ''] = await readDiagrams('ARCHITECTURE.md');
  const drawn = Array.from(floors.matchAll(/--> (\w+)\[/g), ([, folder]) => folder);
  const folders = await readdir(join(checkout, 'packages/server/src'), { withFileTypes: true });
  const found = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect([...drawn].sort()).toEqual(found.sort());
  const rules = createRequire(import.meta.url)(join(checkout, 'dependency-rules.cjs')) as {
    forbidden: { name: string }[];
  };
  const enforced = rules.forbidden
    .map(({ name }) => /^server-floor-(\w+)$/.exec(name)?.[1])
    .filter((name) => name !== undefined);
  expect(drawn).toEqual(enforced);
});
