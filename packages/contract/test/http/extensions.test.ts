import { expect, test } from 'vitest';
import type * as z from 'zod';
import { contract } from '../../src/contract';
import { extensionParts } from '../../src/http/extension-parts';
import { extensions } from '../../src/http/extensions';
import type { RouteMetadata } from '../../src/http/routes';

/** What is marked as an extension in the contract: endpoints, and parameters of the others. */
function listMarked(): string[] {
  return Object.entries(contract).flatMap(([noun, routes]) =>
    Object.entries(routes).flatMap(([key, route]) => {
      const { extension, specQuery = [] } = route.metadata as RouteMetadata;
      if (extension) return [`${noun}.${key}`];
      const query = Object.keys((route.query as z.ZodObject).shape);
      const own = query.filter((parameter) => !specQuery.includes(parameter));
      return own.map((parameter) => `${noun}.${key}: ${parameter}`);
    }),
  );
}

test('each extension of the contract has one name', () => {
  const covered = Object.values<readonly string[]>(extensionParts)
    .flat()
    .flatMap((what) => {
      const [endpoint, parameters] = what.split(': ');
      return parameters?.split(', ').map((one) => `${endpoint}: ${one}`) ?? [what];
    });
  // Fields, values of a parameter, and parameters of extensions.
  const settings = ['description', 'headers', 'attemptsPerMinute'];
  const parts = [
    ...['orders.update: reason', 'orders.list: expand=etag', 'orders.get: expand=etag'],
    ...['create', 'update'].flatMap((verb) => settings.map((one) => `webhooks.${verb}: ${one}`)),
    ...['list', 'get', 'update'].map((verb) => `webhooks.${verb}: disabledAt`),
    ...['webhooks.list: expand', 'events.list: actor', 'events.get: actor'],
  ];
  expect(covered.sort()).toEqual([...listMarked(), ...parts].sort());
});

test('the names are tokens of HTTP, in alphabetical order', () => {
  for (const name of extensions) expect(name).toMatch(/^[a-z]+(\.[a-z]+)?$/);
  expect(extensions).toEqual([...extensions].sort());
});
