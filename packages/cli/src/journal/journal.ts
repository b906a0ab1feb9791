import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import type { OrderStatus } from '@tradepost/sdk';
import { isOutcomeKind } from '../bulk/outcome';
import { stateFolder } from '../config/profiles';
import { getKeyPrefix, type Settings } from '../config/settings';
import type { CliContext } from '../context';
import { attempt, CliError, type CliErrorCode, isRecord } from '../errors/cli-error';
import { createFolder, parseJsonObject } from '../files/private-files';
import { isId } from '../input/options';
import { isOrderStatus, type StatusChange, type StatusOutcome } from './status-change';

/** How fast a run goes, and when it stops. A resumed run has the limits of the first one. */
export interface Limits {
  concurrency?: number | undefined;
  /** Milliseconds between two starts. */
  rate?: number | undefined;
  maxFailures?: number | undefined;
}

/** The start of a journal: everything that is needed to resume. */
export interface Plan extends Omit<StatusChange, 'status'> {
  baseUrl: string;
  /** The account of the key, as far as its profile tells. */
  accountId?: string;
  /** The first characters of the key, which people recognise. */
  keyHint: string;
  /** Tells keys apart that begin alike; missing in journals of earlier versions. */
  keyHash?: string;
  limits: Limits;
  /** The status that each order shall have, in the order in which they are changed. */
  targets: ReadonlyMap<string, OrderStatus>;
}

/** What a journal has about an outcome beside it. */
export interface OutcomeDetails {
  /** When it was recorded: ISO 8601, UTC. */
  at: string | null;
  /** Null if the order was not read. */
  quantity: number | null;
  /** Whether another attempt would fail in the same way. */
  isFinal: boolean;
}

export interface JournalContent {
  plan: Plan;
  /** The last recorded outcome by order ID. */
  outcomes: ReadonlyMap<string, StatusOutcome>;
  details: ReadonlyMap<string, OutcomeDetails>;
  /** Orders whose change was started, without a recorded outcome. */
  inDoubt: ReadonlySet<string>;
}

/** A journal as it was read. */
export interface SavedJournal extends JournalContent {
  /** When it was created: ISO 8601, UTC; null if it does not tell. */
  createdAt: string | null;
  /** Whether its last line is incomplete. */
  isTruncated: boolean;
}

/** A journal that is being written. Its methods throw `file_failed`. */
export interface Journal {
  path: string;
  /** Records that the change of an order is about to be sent. */
  begin(id: string): void;
  end(outcome: StatusOutcome, details: Omit<OutcomeDetails, 'at'>): void;
  close(): void;
}

type Owner = Pick<Plan, 'keyHint' | 'keyHash' | 'accountId'>;

/** Whom a plan is for, as it is recorded: the key cannot be found from that. */
export function describeOwner({ apiKey, accountId }: Settings): Owner {
  const keyHash = createHash('sha256').update(apiKey).digest('hex').slice(0, 16);
  return { keyHint: getKeyPrefix(apiKey), keyHash, ...(accountId !== null && { accountId }) };
}

/** Whether a plan was started with the current key, as far as its journal tells. */
export function isOfKey({ keyHint, keyHash }: Plan, settings: Settings): boolean {
  const current = describeOwner(settings);
  return keyHash === undefined ? keyHint === current.keyHint : keyHash === current.keyHash;
}

/** Returns the status that all orders of a plan shall have; null if they differ. */
export function getCommonStatus({ targets }: Pick<Plan, 'targets'>): OrderStatus | null {
  const [only = null, ...others] = new Set(targets.values());
  return others.length === 0 ? only : null;
}

/** The first line of a journal has it, so that no other file is taken for one. */
const journalKind = 'tradepost orders set-status';

/** Returns the folder of journals for which no file was named. */
export function journalFolder(env: CliContext['env']): string {
  return join(stateFolder(env), 'results');
}

/**
 * Returns the default path of a new journal, and creates its folder.
 *
 * @throws {CliError} `file_unusable`
 */
export function defaultJournalPath(context: CliContext): string {
  const time = new Date(context.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const name = `set-status-${time}-${process.pid}.ndjson`;
  const path = join(journalFolder(context.env), name);
  attempt(
    () => createFolder(dirname(path)),
    'file_unusable',
    'Cannot create the folder of the journal',
    'Nothing changed. Name a file with --journal, or pass --no-journal.',
  );
  return path;
}

/**
 * Creates a journal with its plan, which is on the disk before anything is changed. It is NDJSON,
 * readable by its owner only.
 *
 * @throws {CliError} `file_unusable` if it exists or cannot be created; `file_failed` if it cannot be
 * written: then it is deleted
 */
export function createJournal(path: string, plan: Plan, now: CliContext['now']): Journal {
  const { targets, ...rest } = plan;
  const createdAt = new Date(now()).toISOString();
  const status = getCommonStatus(plan);
  const first = { kind: journalKind, version: 1, createdAt, total: targets.size, status, ...rest };
  const orders = Array.from(targets, ([id, own]) => ({
    kind: 'order',
    id,
    ...(status === null && { status: own }),
  }));
  const file = openFile(path, 'wx', now);
  try {
    file.write([first, ...orders].map(toLine).join(''));
    file.sync();
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
  return file;
}

/**
 * Opens a journal to continue it.
 *
 * @param isTruncated whether its last line is incomplete, as `readJournal` reports
 * @throws {CliError} `file_unusable` if it cannot be opened, `file_failed` if it cannot be written
 */
export function openJournal(path: string, isTruncated: boolean, now: CliContext['now']): Journal {
  const file = openFile(path, 'a', now);
  if (isTruncated) file.write('\n');
  return file;
}

function openFile(
  path: string,
  flags: 'wx' | 'a',
  now: CliContext['now'],
): Journal & { write(text: string): void; sync(): void } {
  const hint = 'Nothing changed. Name a new file with --journal.';
  const guard = <Result>(act: () => Result, code: CliErrorCode = 'file_failed') =>
    attempt(act, code, 'Cannot write the journal', hint);
  const descriptor = guard(() => openSync(path, flags, 0o600), 'file_unusable');
  const write = (text: string) => guard(() => writeFileSync(descriptor, text));
  const sync = () => guard(() => fsyncSync(descriptor));
  return {
    path,
    write,
    begin: (id) => write(toLine({ kind: 'started', id })),
    end(outcome, details) {
      const at = new Date(now()).toISOString();
      write(toLine({ kind: 'outcome', ...outcome, at, ...details }));
    },
    sync,
    close() {
      sync();
      closeSync(descriptor);
    },
  };
}

function toLine(entry: object): string {
  return `${JSON.stringify(entry)}\n`;
}

/**
 * Reads a journal. A truncated last line, which a power failure leaves, is ignored.
 *
 * @throws {CliError} `input_unreadable` if it cannot be read, `usage` if it is not a complete journal
 */
export function readJournal(path: string): SavedJournal {
  const read = () => readFileSync(path, 'utf8');
  const text = attempt(read, 'input_unreadable', 'Cannot read the journal');
  const [first, ...entries] = splitLines(text, path);
  const targets = new Map<string, OrderStatus>();
  const outcomes = new Map<string, StatusOutcome>();
  const details = new Map<string, OutcomeDetails>();
  const inDoubt = new Set<string>();
  for (const entry of entries) {
    const { kind, id } = entry;
    if (typeof id !== 'string' || !isId(id, 'ord')) throw invalidJournalError(path);
    if (kind === 'order') {
      const status = entry.status ?? first?.status;
      if (targets.has(id) || !isOrderStatus(status)) throw invalidJournalError(path);
      targets.set(id, status);
      continue;
    }
    // This command writes no entry for an order that is not in the plan.
    if (!targets.has(id)) throw invalidJournalError(path);
    if (kind === 'started') {
      inDoubt.add(id);
      outcomes.delete(id);
    } else {
      inDoubt.delete(id);
      outcomes.set(id, parseOutcome(entry, id, path));
      details.set(id, parseDetails(entry));
    }
  }
  if (first?.kind !== journalKind || first.version !== 1) throw invalidJournalError(path);
  const { baseUrl, keyHint, keyHash, accountId, ifStatus, reason, limits, total, createdAt } =
    first;
  const isComplete =
    // No change was sent under an incomplete plan.
    total === targets.size && typeof baseUrl === 'string' && typeof keyHint === 'string';
  const isStatus = (value: unknown) => value === null || isOrderStatus(value);
  if (!isComplete || !isStatus(first.status) || !(ifStatus === null || isOrderStatus(ifStatus))) {
    throw invalidJournalError(path);
  }
  const plan = {
    baseUrl,
    keyHint,
    ...(typeof keyHash === 'string' && { keyHash }),
    ...(typeof accountId === 'string' && { accountId }),
    ifStatus,
    ...(typeof reason === 'string' && { reason }),
    limits: parseLimits(limits),
    targets,
  };
  return {
    plan,
    outcomes,
    details,
    inDoubt,
    createdAt: typeof createdAt === 'string' ? createdAt : null,
    isTruncated: !text.endsWith('\n'),
  };
}

/** Returns the complete lines. A truncated line was ended when the work was resumed. */
function splitLines(text: string, path: string): Record<string, unknown>[] {
  return text.split('\n').flatMap((line, index) => {
    if (line === '') return [];
    const entry = parseJsonObject(line);
    if (entry !== null) return [entry];
    // The next run read that order again and recorded it.
    if (index > 0) return [];
    throw invalidJournalError(path);
  });
}

function parseOutcome(entry: Record<string, unknown>, id: string, path: string): StatusOutcome {
  const { outcome, from, to, code, message, requestId } = entry;
  if (entry.kind !== 'outcome' || !isOutcomeKind(outcome)) throw invalidJournalError(path);
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    id,
    outcome,
    from: text(from),
    to: text(to),
    code: text(code),
    message: text(message),
    requestId: text(requestId),
  };
}

function parseDetails({ at, quantity, isFinal }: Record<string, unknown>): OutcomeDetails {
  return {
    at: typeof at === 'string' ? at : null,
    quantity: typeof quantity === 'number' ? quantity : null,
    isFinal: isFinal === true,
  };
}

/** Limits that someone has changed by hand to something else are left out. */
function parseLimits(value: unknown): Limits {
  const entries = Object.entries(isRecord(value) ? value : {});
  return Object.fromEntries(entries.filter(([, limit]) => Number(limit) > 0));
}

function invalidJournalError(path: string): CliError {
  return new CliError(
    'usage',
    `${path} is not a complete journal`,
    'Nothing changed. If its plan is incomplete, no order was moved.',
  );
}
