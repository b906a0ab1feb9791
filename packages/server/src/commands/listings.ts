import type { AccountKind } from '@tradepost/contract/wire';
import type { Command } from 'commander';
import type { AccountStore } from '../accounts/account-store';
import { systemClock } from '../clock';
import { databaseOption, jsonOption, readUnits } from '../config';
import { createIds } from '../ids';
import { createListing } from '../listings/listing';
import { present } from '../moment';
import { OperatorError } from './operator-error';
import { printResult, type Streams } from './output';
import { withExistingStore } from './with-store';

interface CreateOptions {
  database: string;
  seller: string;
  agent?: string;
  quantity: number;
  lowThreshold?: number;
  json?: boolean;
}

async function requireKind(accounts: AccountStore, id: string, kind: AccountKind): Promise<void> {
  const account = await accounts.findAccount(id);
  if (account === null) throw new OperatorError(`There is no account ${id}.`);
  if (account.kind !== kind) {
    throw new OperatorError(`Account ${id} is of kind ${account.kind}; a ${kind} is needed here.`);
  }
}

async function createRun(options: CreateOptions, streams: Streams): Promise<void> {
  const { seller, agent, quantity, lowThreshold } = options;
  const fields = {
    sellerId: seller,
    agentId: agent ?? null,
    availableQuantity: quantity,
    lowThreshold: lowThreshold ?? null,
  };
  const listing = createListing(fields, present(systemClock, createIds()));
  await withExistingStore(options.database, async ({ accounts, listings }) => {
    await requireKind(accounts, seller, 'seller');
    if (agent !== undefined) await requireKind(accounts, agent, 'agent');
    await listings.addListing(listing);
  });
  printResult(streams, { id: listing.id }, options.json);
}

/** `tradepost-server listings`. */
export function addListingCommands(program: Command, streams: Streams): void {
  const listings = program.command('listings').description('make listings');
  listings
    .command('create')
    .description('put something on sale')
    .requiredOption('--seller <id>', 'the seller account, usr_<id>')
    .option('--agent <id>', 'the agent account that approves its orders, usr_<id>')
    .requiredOption('--quantity <units>', 'how much there is to order', readUnits)
    .option('--low-threshold <units>', 'tell when less than this is left', readUnits)
    .addOption(jsonOption())
    .addOption(databaseOption())
    .action((options) => createRun(options, streams));
}
