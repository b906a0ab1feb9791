import { type AuditEntry, formatAuditEntry } from '@tradepost/domain/audit/audit-log';
import type { Command } from 'commander';
import { databaseOption, jsonOption, parseInteger, parseSince } from './options';
import { printList, type Streams, toJsonText } from './output';
import { withStoreToRead } from './with-store';

interface AuditOptions {
  database: string;
  account?: string;
  /** Milliseconds since 1970. */
  since?: number;
  limit: number;
  json?: boolean;
}

/** Returns an entry with one text for each field. */
function flatten(entry: AuditEntry): Record<string, unknown> {
  const { actorId, subjectId, subjectType, details } = entry;
  const subject = subjectId ?? subjectType;
  return { ...formatAuditEntry(entry), actor: actorId, subject, details: toJsonText(details) };
}

async function auditRun(options: AuditOptions, streams: Streams): Promise<void> {
  const { account: accountId, since, limit, json } = options;
  // An account that was erased still has entries, so it need not exist.
  const entries = await withStoreToRead(options.database, ({ audit }) =>
    audit.listEntries({ accountId, since }, { before: null, limit }),
  );
  const items = entries.map(json ? formatAuditEntry : flatten);
  printList(streams, items, { json, none: 'No entries.' });
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
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((options) => auditRun(options, streams));
}
