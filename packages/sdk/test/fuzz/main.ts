/**
 * What `npm run fuzz` runs: a million random requests against the verifiers and the receiver's
 * adapters. `--inputs N` and `--seed N` choose others; a failure names the seed and the input.
 */
import { parseArgs } from 'node:util';
import { fuzz } from './fuzz';

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
  },
});
const inputs = Number(values.inputs);
const seed = Number(values.seed);
if (!Number.isInteger(inputs) || inputs < 1 || !Number.isInteger(seed)) {
  console.error('npm run fuzz -- [--inputs N] [--seed N]');
  process.exit(2);
}

console.log(`${inputs} inputs, seed ${seed}`);
const started = performance.now();
const tally = await fuzz(inputs, seed, (done) => {
  if (done % 50_000 === 0) console.error(`… ${done}`);
});
const seconds = Math.round((performance.now() - started) / 1_000);
console.table(tally);
console.log(
  `No crash, no disagreement, nothing accepted that the raw check rejects: ${seconds} s.`,
);
