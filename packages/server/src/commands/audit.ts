import { type AuditEntry, formatAuditEntry } from '@tradepost/domain/audit/audit-log';
import { type Command, InvalidArgumentError } from 'commander';
import { requireAccount } from './accounts';
import { databaseOption, jsonOption, parseInteger, parseSince } from './options';
import { printList, printMore, type Streams, toJsonText } from './output';
import { withStoreToRead } from './with-store';

interface AuditOptions {
  database: string;
  account?: string;
  /** Milliseconds since 1970. */
  since?: number;
  limit: number;
  /** The ID of the last entry of the previous page. */
  cursor?: string;
  json?: boolean;
}

/** Parses a cursor: the ID of an entry. */
function parseCursor(cursor: string): string {
  if (/^aud_[0-9A-Za-z]+$/.test(cursor)) return cursor;
  throw new InvalidArgumentError('Pass that of the previous page, unchanged.');
}

/** Returns an entry with one text for each field. */
function flatten(entry: AuditEntry): Record<string, unknown> {
  const { actorId, subjectId, subjectType, details } = entry;
  const subject = subjectId ?? subjectType;
  return { ...formatAuditEntry(entry), actor: actorId, subject, details: toJsonText(details) };
}

async function auditRun(options: AuditOptions, streams: Streams): Promise<void> {
  const { account: accountId, since, limit, cursor = null, json, database } = options;
  const found = await withStoreToRead(database, async (store) => {
    // An account that was erased keeps its row.
    if (accountId !== undefined) await requireAccount(store, accountId, database);
    // One more than is shown, so that it is known whether there are more.
    return store.audit.listEntries({ accountId, since }, { before: cursor, limit: limit + 1 });
  });
  const entries = found.slice(0, limit);
  printList(streams, entries.map(json ? formatAuditEntry : flatten), { json, none: 'No entries.' });
  const last = entries.at(-1);
  if (found.length > limit && last !== undefined) printMore(streams, last.id);
}

/** `tradepost-server audit`. */
export function addAuditCommand(program: Command, streams: Streams): void {
  program
    .command('audit')
    .description('list who changed accounts, keys, listings and webhooks, newest first')
    .option('--account <id>', 'only entries about this account, usr_<id>')
    .option(
      '--since <time>',
      'only entries since this time: 2026-01-15T09:00:00Z, or 24h for the last 24 hours',
      parseSince,
    )
    .option('--limit <entries>', 'how many entries at most', parseInteger(1, 10_000), 100)
    .option('--cursor <cursor>', 'continue after the previous page', parseCursor)
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((options) => auditRun(options, streams));
}
