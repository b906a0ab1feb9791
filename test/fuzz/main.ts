/**
 * Tests the server against its OpenAPI document with Schemathesis: `npm run test:fuzz -- [--seed 1] [--minutes 30]
 * [--max-examples 10] [--role buyer] [--require-all]`. Every role gets a server of its own. Exits with 1 if anything is wrong.
 *
 * Without Python it prints that nothing was tested, and fails only with `--require-all` or `CI=1`.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { runAll } from '../helpers/run-all';
import { fuzzRole, type RunResult } from './fuzz-role';
import { installSchemathesis, MissingToolError } from './schemathesis';
import { type Role, roles } from './start-fuzzed-service';

/** How many roles are tested at once. Each has a server and a Schemathesis of its own, which has one thread. */
const concurrency = 2;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    'max-examples': { type: 'string', default: '10' },
    role: { type: 'string', multiple: true },
    'require-all': { type: 'boolean', default: ['1', 'true'].includes(process.env.CI ?? '') },
  },
});

function readCount(name: string, text: string): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value > 0) return value;
  throw new Error(`--${name} must be an integer from 1 to 999999999, not ${text}.`);
}

/** Adds up the counts of all runs. */
function sum(counts: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const total = new Map<string, number>();
  for (const [name, count] of counts.flatMap((map) => [...map])) {
    total.set(name, (total.get(name) ?? 0) + count);
  }
  return total;
}

/** Lists the operations that no request of any role was accepted by: what follows from their success was not tested. */
function listUntested(document: string, results: readonly RunResult[]): string[] {
  const accepted = [...sum(results.map(({ responses }) => responses)).keys()]
    .filter((name) => / 2\d\d$/.test(name))
    .map((name) => name.slice(0, -4));
  const paths: Record<string, object> = JSON.parse(document).paths;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  return operations.filter((operation) => !accepted.includes(operation));
}

function printResult(result: RunResult, seed: number): void {
  const { role, requests, seconds, memoryMb, faults, output } = result;
  const outcome = faults.length === 0 ? 'no failures' : 'FAILED';
  console.log(
    `${role.padEnd(16)} ${requests} requests in ${seconds} s, server ${memoryMb} MB: ${outcome}`,
  );
  if (faults.length === 0) return;
  console.log(output);
  for (const fault of faults) console.log(`  ${fault}`);
  console.log(`To repeat this run: npm run test:fuzz -- --seed ${seed} --role ${role}`);
}

async function main(): Promise<boolean> {
  const seed = readCount('seed', values.seed);
  const selected = roles.filter(({ name }) => values.role?.includes(name) ?? true);
  if (selected.length === 0) {
    throw new Error(`--role must be one of ${roles.map(({ name }) => name).join(', ')}.`);
  }
  const minutes = values.minutes === undefined ? null : readCount('minutes', values.minutes);
  const program = await installSchemathesis();
  const document = await readFile(
    createRequire(import.meta.url).resolve('@tradepost/contract/openapi.json'),
    'utf8',
  );
  const maxExamples = minutes === null ? readCount('max-examples', values['max-examples']) : null;
  const seconds =
    minutes === null ? 600 : Math.ceil((minutes * 60 * concurrency) / selected.length);
  const amount =
    maxExamples === null ? `${seconds} s per role` : `${maxExamples} examples per operation`;
  console.log(
    `seed ${seed}, ${amount}, phases: examples, coverage, fuzzing, stateful (with the links of the document)`,
  );

  const results: RunResult[] = [];
  const test = async (role: Role) => {
    const result = await fuzzRole(role, { program, document, seed, maxExamples, seconds });
    results.push(result);
    printResult(result, seed);
  };
  await runAll(selected, test, concurrency);
  console.log('\nReported and no fault (test/fuzz/exceptions.py):');
  for (const [name, count] of sum(results.map(({ exceptions }) => exceptions))) {
    console.log(`  ${name.padEnd(24)} ${count}`);
  }
  const untested = selected.length === roles.length ? listUntested(document, results) : [];
  for (const operation of untested) console.log(`No request to ${operation} was accepted.`);
  return untested.length === 0 && results.every(({ faults }) => faults.length === 0);
}

try {
  if (!(await main())) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof MissingToolError)) throw error;
  console.log(`The server was NOT tested against its OpenAPI document. ${error.message}`);
  if (values['require-all']) process.exitCode = 1;
}
