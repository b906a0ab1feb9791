import { expect, test } from 'vitest';
import { fuzz } from './fuzz';

test('random requests crash nothing, and none is accepted that the raw check refuses', async () => {
  const seed = Math.floor(Math.random() * 1e6);
  const tally = await fuzz(4_000, seed);
  // Else the inputs would say nothing about what is right, or about what is wrong.
  expect(Object.keys(tally).length, `seed ${seed}`).toBeGreaterThan(8);
  expect(tally.accepted, `seed ${seed}`).toBeGreaterThan(400);
});
