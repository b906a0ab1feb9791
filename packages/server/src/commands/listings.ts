import type { AccountKind } from '@tradepost/contract/wire';
import type { Command } from 'commander';
import type { AccountStore } from '../features/accounts/account';
import { createListing } from '../features/listings/listing';
import { createContext, createIdGenerator, systemClock } from '../kernel/context';
import { OperatorError } from './operator-error';
import { databaseOption, jsonOption, parseQuantity } from './options';
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
  if (account === null) throw new OperatorError(`Account ${id} does not exist.`);
  if (account.kind !== kind) {
    throw new OperatorError(`Account ${id} is a ${account.kind} account; a ${kind} is required.`);
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
  const listing = createListing(fields, createContext(systemClock, createIdGenerator()));
  await withExistingStore(options.database, async ({ accounts, listings }) => {
    await requireKind(accounts, seller, 'seller');
    if (agent !== undefined) await requireKind(accounts, agent, 'agent');
    await listings.addListing(listing);
  });
  printResult(streams, { id: listing.id }, options.json);
}

/** `tradepost-server listings`. */
export function addListingCommands(program: Command, streams: Streams): void {
  const listings = program.command('listings').description('create listings');
  listings
    .command('create')
    .description('create a listing')
    .requiredOption('--seller <id>', 'the seller account, usr_<id>')
    .option('--agent <id>', 'the agent account that approves its orders, usr_<id>')
    .requiredOption('--quantity <units>', 'the available quantity', parseQuantity)
    .option('--low-threshold <units>', 'send an event when fewer units are left', parseQuantity)
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((options) => createRun(options, streams));
}
