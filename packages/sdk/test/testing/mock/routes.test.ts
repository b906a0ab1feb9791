import { endpoints } from '@tradepost/contract/wire';
import { expect, test } from 'vitest';
import { routes } from '../../../src/testing/mock/routes';

test('the mock has every endpoint of the contract', () => {
  const describe = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
  const known = Object.values(endpoints).flatMap((noun) => Object.values(noun).map(describe));
  expect(Object.values(routes).map(describe).sort()).toEqual(known.sort());
});
