import { expect, test } from 'vitest';
import { fuzz } from './fuzz';

test('random requests cause no crash, and none is accepted that the checks reject', async () => {
  const seed = Math.floor(Math.random() * 1e6);
  const tally = await fuzz(4_000, seed);
  // Otherwise the inputs would cover too little, valid or invalid.
  expect(Object.keys(tally).length, `seed ${seed}`).toBeGreaterThan(8);
  expect(tally.accepted, `seed ${seed}`).toBeGreaterThan(400);
});
