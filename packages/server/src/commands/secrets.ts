import { setTimeout } from 'node:timers/promises';
import { createAuditEntry } from '@tradepost/domain/audit/audit-log';
import type { Command } from 'commander';
import { generateSecretKey, parseSecretKeys } from '../stores/encryption';
import type { Store } from '../stores/store';
import { createCommandContext, getOperator } from './operator';
import { OperatorError } from './operator-error';
import { databaseOption, jsonOption, secretKeyFileOption } from './options';
import { printResult, type Streams } from './output';
import { readSecretKeys } from './secret-keys';
import { withStore } from './with-store';

/** How many webhooks one transaction covers: a few milliseconds of work. */
const batchSize = 20;
/** The pause after a transaction, so that a server can write. */
const pauseMs = 10;
/** Each takes a tenth of a second. */
const eraseAttempts = 50;

function generateRun({ json }: { json?: boolean }, streams: Streams): void {
  const secretKey = generateSecretKey();
  const [{ id: keyId } = { id: '' }] = parseSecretKeys(secretKey);
  if (json) printResult(streams, { keyId, secretKey }, true);
  else streams.stdout.write(`${secretKey}\n`);
  streams.stderr.write(
    `This is key ${keyId}. Keep it apart from the database and its backups. Without it, the secrets that it encrypts are lost.\n`,
  );
}

/** Encrypts all secrets with the first key. */
async function rotateAll({ secrets }: Store): Promise<{ rotated: number; unreadable: string[] }> {
  const total = { rotated: 0, unreadable: [] as string[] };
  for (let after: string | null = null; ; await setTimeout(pauseMs)) {
    const { rotated, unreadable, next } = await secrets.rotate({ after, limit: batchSize });
    total.rotated += rotated;
    total.unreadable.push(...unreadable);
    if (next === null) return total;
    after = next;
  }
}

/**
 * Removes earlier copies of the secrets from the files.
 *
 * @returns False if other processes used the database all the time.
 */
async function erase({ retention }: Store): Promise<boolean> {
  for (let attempt = 1; attempt <= eraseAttempts; attempt += 1) {
    if (await retention.eraseDeleted()) return true;
    await setTimeout(pauseMs);
  }
  return false;
}

/** What a rotation left. */
export interface RotationState {
  database: string;
  /** The newest key. */
  keyId: string;
  /** The webhooks with a secret that cannot be decrypted. */
  unreadable: readonly string[];
  /** The other keys that are in use; null for plain text. */
  others: readonly (string | null)[];
  /** Whether no earlier copy of a secret is left in the files. */
  isErased: boolean;
}

/** Explains what a rotation could not do, and what to do about it; null if it is complete. */
export function explainIncomplete(state: RotationState): string | null {
  const { database, keyId, unreadable, others, isErased } = state;
  if (unreadable.length > 0) {
    return `Secrets of these webhooks cannot be decrypted, and were not changed: ${unreadable.join(', ')}. Restore them from a backup, or delete the webhooks.`;
  }
  if (others.length > 0) {
    const names = others.map((id) => (id === null ? 'in plain text' : `with key ${id}`));
    return `Meanwhile, a server stored secrets ${names.join(' and ')}. Restart all servers with ${keyId} as their first key, then run the command again.`;
  }
  if (!isErased) {
    return `All secrets are encrypted with key ${keyId}, but earlier copies may still be in ${database} and ${database}-wal, because other processes used the database all the time. Run the command again.`;
  }
  return null;
}

async function rotateRun(
  options: { database: string; secretKeyFile?: string; json?: boolean },
  streams: Streams,
): Promise<void> {
  const secretKeys = readSecretKeys(options);
  const [newest] = secretKeys;
  if (newest === undefined) {
    throw new OperatorError(
      'There is no secret key. Create one with `tradepost-server secrets generate-key`, and pass it with --secret-key-file or TRADEPOST_SECRET_KEY.',
    );
  }
  const { database } = options;
  await withStore(
    database,
    async (store) => {
      const { rotated, unreadable } = await rotateAll(store);
      const isErased = await erase(store);
      const others = (await store.secrets.listKeyIds()).filter((id) => id !== newest.id);
      printResult(streams, { keyId: newest.id, rotated }, options.json);
      await store.audit.addEntry(
        createAuditEntry(
          getOperator(),
          'secrets.rotated',
          { id: newest.id, accountId: null },
          { rotated },
          createCommandContext(),
        ),
      );
      const problem = explainIncomplete({
        database,
        keyId: newest.id,
        unreadable,
        others,
        isErased,
      });
      if (problem !== null) throw new OperatorError(problem);
    },
    { mustExist: true, secretKeys },
  );
  streams.stderr.write(
    `All secrets are encrypted with key ${newest.id}. Remove the other keys, if there are any, from all servers.\n`,
  );
}

/** `tradepost-server secrets`. */
export function addSecretCommands(program: Command, streams: Streams): void {
  const secrets = program
    .command('secrets')
    .description('encrypt endpoint secrets in the database');
  secrets
    .command('generate-key')
    .description('print a new secret key')
    .addOption(jsonOption())
    .action((options) => generateRun(options, streams));
  secrets
    .command('rotate')
    .description(
      'encrypt all endpoint secrets with the newest secret key, also while a server runs',
    )
    .addOption(secretKeyFileOption())
    .addOption(jsonOption())
    .addOption(databaseOption({ mustExist: true }))
    .action((options) => rotateRun(options, streams));
}
