import type { Command } from 'commander';
import { systemClock } from '../clock';
import { databaseOption, jsonOption } from '../config';
import { createIds } from '../ids';
import { type SeededWorld, seedWorld } from '../seed-world';
import type { Streams } from './output';
import { withStore } from './with-store';

function printWorld({ accounts, listings, orders }: SeededWorld, streams: Streams): void {
  const out = (line: string) => streams.stdout.write(`${line}\n`);
  out('Accounts (the API keys are shown this once):');
  for (const { kind, name, id, apiKey } of accounts) {
    out(`  ${kind.padEnd(6)}  ${name.padEnd(22)}  ${id}  ${apiKey}`);
  }
  out('Listings:');
  for (const { id, name, availableQuantity } of listings) {
    out(`  ${id}  ${name}, ${availableQuantity} available`);
  }
  out('Orders:');
  for (const { id, status, quantity } of orders) {
    out(`  ${id}  ${status.padEnd(10)}  quantity ${quantity}`);
  }
}

async function seedRun(
  options: { database: string; json?: boolean },
  streams: Streams,
): Promise<void> {
  const world = await withStore(options.database, (store) =>
    seedWorld(store, systemClock, createIds()),
  );
  if (options.json) streams.stdout.write(`${JSON.stringify(world)}\n`);
  else printWorld(world, streams);
}

/** `tradepost-server seed`. */
export function addSeedCommand(program: Command, streams: Streams): void {
  program
    .command('seed')
    .description('add a small demo world: accounts of each kind, listings, orders in every state')
    .addOption(jsonOption())
    .addOption(databaseOption())
    .action((options) => seedRun(options, streams));
}
