import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listOperations } from '../helpers/openapi-reader';

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const text = read('openapi-3.0.json');
const document = JSON.parse(text);
const document31 = JSON.parse(read('openapi.json'));

test('it has the operations and the schemas of the OpenAPI 3.1 document, without its webhooks', () => {
  const ids = (paths: object) =>
    listOperations(paths as never).map(({ operation }) => operation.operationId);
  expect(ids(document.paths)).toEqual(ids(document31.paths));
  expect(Object.keys(document.components.schemas)).toEqual(
    Object.keys(document31.components.schemas),
  );
  expect(document).not.toHaveProperty('webhooks');
  expect(document.tags.map(({ name }: { name: string }) => name)).not.toContain('receivers');
});

test('it uses no keyword of OpenAPI 3.1', () => {
  const visit = (node: unknown, at: string): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const keyword of ['const', 'identifier', 'prefixItems', 'exclusiveMaximum']) {
      expect(node, at).not.toHaveProperty(keyword);
    }
    if ('type' in node) expect(Array.isArray(node.type), at).toBe(false);
    if ('examples' in node) expect(Array.isArray(node.examples), at).toBe(false);
    for (const [key, child] of Object.entries(node)) visit(child, `${at}/${key}`);
  };
  visit(document.components, '#/components');
  visit(document.info, '#/info');
});

test('it has no `allOf` of one schema, and names the license by a URL', () => {
  expect(text).not.toMatch(/"allOf": \[\s*\{[^{}]*\}\s*\]/);
  expect(document.info.license).toEqual({ name: 'MIT', url: expect.stringMatching(/^https:/) });
});
