import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { contract, endpoints } from '../../src/index';

interface Endpoint {
  method: string;
  path: string;
}

function listed(nouns: Record<string, Record<string, Endpoint>>): string[] {
  return Object.entries(nouns).flatMap(([noun, verbs]) =>
    Object.entries(verbs).map(([verb, { method, path }]) => `${noun}.${verb}: ${method} ${path}`),
  );
}

test('every endpoint has its route in the contract, and every route its endpoint', () => {
  expect(listed(contract).sort()).toEqual(listed(endpoints).sort());
});

test('no two endpoints share a method and a path', () => {
  const places = listed(endpoints).map((line) => line.split(': ')[1]);
  expect(new Set(places).size).toBe(places.length);
});

test('every path starts with the version', () => {
  for (const line of listed(endpoints)) expect(line).toMatch(/: [A-Z]+ \/v1\//);
});

test('the README lists every endpoint', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const rows = [...readme.matchAll(/^\| `(\w+\.\w+)` *\| `(.+)` *\|$/gm)];
  // The extensions have a table of their own.
  const inReadme = rows.map(([, name, place]) => `${name}: ${place}`);
  expect(inReadme.sort()).toEqual(listed(endpoints).sort());
});
