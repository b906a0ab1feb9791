import type { AccountKind } from '@tradepost/contract/wire';
import { createAuditEntry } from '@tradepost/domain/audit/audit-log';
import { formatTimestamp } from '@tradepost/domain/kernel/context';
import { formatCount } from '@tradepost/domain/kernel/errors';
import { createListing, type Listing, updateListing } from '@tradepost/domain/listings/listing';
import { type Command, Option } from 'commander';
import { describeDatabase } from '../stores/database-url';
import type { Store } from '../stores/store';
import { requireAccount, requireAccountToUse } from './accounts';
import { createCommandContext, getOperator } from './operator';
import { OperatorError, UsageError } from './operator-error';
import {
  databaseOption,
  jsonOption,
  maxQuantity,
  parseInteger,
  parseName,
  parseQuantity,
} from './options';
import { printList, printResult, type Streams } from './output';
import { withExistingStore, withStoreToRead } from './with-store';

interface CreateOptions {
  database: string;
  seller: string;
  agent?: string;
  title?: string;
  quantity: number;
  lowThreshold?: number;
  json?: boolean;
}

const withArticle: Record<AccountKind, string> = {
  buyer: 'a buyer',
  seller: 'a seller',
  agent: 'an agent',
};

/** What a listing refers to. */
interface Party {
  id: string;
  kind: AccountKind;
  database: string;
}

async function requireKind(store: Store, { id, kind, database }: Party): Promise<void> {
  const account = await requireAccountToUse(store, id, database);
  if (account.kind === kind) return;
  throw new OperatorError(
    `Account ${id} is ${withArticle[account.kind]} account; ${withArticle[kind]} is required.`,
  );
}

async function createRun(options: CreateOptions, streams: Streams): Promise<void> {
  const { database, seller, agent, title, quantity, lowThreshold } = options;
  const fields = {
    sellerId: seller,
    agentId: agent ?? null,
    title: title ?? null,
    availableQuantity: quantity,
    lowThreshold: lowThreshold ?? null,
  };
  const context = createCommandContext();
  const listing = createListing(fields, context);
  const owned = { id: listing.id, accountId: seller };
  const audit = createAuditEntry(getOperator(), 'listing.created', owned, { quantity }, context);
  await withExistingStore(database, async (store) => {
    await requireKind(store, { id: seller, kind: 'seller', database });
    if (agent !== undefined) await requireKind(store, { id: agent, kind: 'agent', database });
    await store.listings.addListing(listing, audit);
  });
  printResult(streams, { id: listing.id }, options.json);
}

/** Returns what an operator sees of a listing. */
export function formatListing(listing: Listing): Record<string, unknown> {
  return {
    id: listing.id,
    sellerId: listing.sellerId,
    agentId: listing.agentId,
    title: listing.title,
    availableQuantity: listing.availableQuantity,
    lowThreshold: listing.lowThreshold,
    createdAt: formatTimestamp(listing.createdAt),
  };
}

async function listRun(
  options: { database: string; seller?: string; json?: boolean },
  streams: Streams,
): Promise<void> {
  const { seller, database } = options;
  const listings = await withStoreToRead(database, async (store) => {
    if (seller !== undefined) await requireAccount(store, seller, database);
    return store.listings.listListings(seller);
  });
  printList(streams, listings.map(formatListing), { json: options.json, none: 'No listings.' });
}

interface UpdateOptions {
  database: string;
  quantity?: number;
  add?: number;
  /** False for `--no-low-threshold`. */
  lowThreshold?: number | false;
  /** False for `--no-agent`. */
  agent?: string | false;
  /** False for `--no-title`. */
  title?: string | false;
  json?: boolean;
}

async function updateRun(id: string, options: UpdateOptions, streams: Streams): Promise<void> {
  const { database, quantity, add, lowThreshold, agent, title } = options;
  const changes = {
    ...(quantity !== undefined && { availableQuantity: quantity }),
    ...(add !== undefined && { addedUnits: add }),
    ...(lowThreshold !== undefined && {
      lowThreshold: lowThreshold === false ? null : lowThreshold,
    }),
    ...(agent !== undefined && { agentId: agent === false ? null : agent }),
    ...(title !== undefined && { title: title === false ? null : title }),
  };
  if (Object.keys(changes).length === 0) {
    throw new UsageError(
      'Nothing to change. Pass --quantity, --add, --low-threshold, --agent or --title.',
    );
  }
  const listing = await withExistingStore(database, async (store) => {
    if (typeof agent === 'string') await requireKind(store, { id: agent, kind: 'agent', database });
    const decide = (found: Listing | null) => {
      if (found === null) {
        throw new OperatorError(
          `Listing ${id} does not exist in ${describeDatabase(database)}. See listings list.`,
        );
      }
      const changed = updateListing(found, changes);
      if (changed.availableQuantity <= maxQuantity) return changed;
      throw new OperatorError(
        `Listing ${id} has ${formatCount(found.availableQuantity, 'unit')}; with ${add} more it would exceed the maximum of ${maxQuantity}.`,
      );
    };
    const context = createCommandContext();
    return await store.listings.changeListing(id, decide, ({ sellerId }) =>
      createAuditEntry(
        getOperator(),
        'listing.updated',
        { id, accountId: sellerId },
        { ...changes },
        context,
      ),
    );
  });
  printResult(streams, formatListing(listing), options.json);
}

/** `tradepost-server listings`. */
export function addListingCommands(program: Command, streams: Streams): void {
  const listings = program.command('listings').description('create, list and update listings');
  listings
    .command('create')
    .description('create a listing')
    .requiredOption('--seller <id>', 'the seller account, usr_<id>')
    .option('--agent <id>', 'the agent account that approves its orders, usr_<id>')
    .option('--title <title>', 'what it offers, for people', parseName)
    .requiredOption('--quantity <units>', 'the available quantity', parseQuantity)
    .option('--low-threshold <units>', 'send an event when fewer units are left', parseQuantity)
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((options) => createRun(options, streams));
  listings
    .command('list')
    .description('list listings, newest first')
    .option('--seller <id>', 'only listings of this account')
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((options) => listRun(options, streams));
  listings
    .command('update')
    .description('change a listing; orders that exist stay as they are')
    .argument('<id>', 'the listing, lst_<id>')
    .addOption(
      new Option('--quantity <units>', 'the new available quantity')
        .argParser(parseQuantity)
        .conflicts('add'),
    )
    .option('--add <units>', 'units to add to the available quantity', parseInteger(1, maxQuantity))
    .option('--low-threshold <units>', 'send an event when fewer units are left', parseQuantity)
    .option('--no-low-threshold', 'send no event')
    .option('--agent <id>', 'the agent account that approves future orders, usr_<id>')
    .option('--no-agent', 'future orders need no approval')
    .option('--title <title>', 'what it offers, for people', parseName)
    .option('--no-title', 'it has no title')
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((id, options) => updateRun(id, options, streams));
}
