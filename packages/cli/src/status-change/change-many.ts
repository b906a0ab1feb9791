import { existsSync } from 'node:fs';
import { CliError } from '../cli-error';
import { connectAs } from '../connect';
import { lockFile } from '../files/lock-file';
import type { GlobalOptions } from '../global-options';
import { confirm } from '../input/confirm';
import { chooseFormat } from '../output/choose-format';
import { note } from '../output/note';
import { tryToPrint } from '../output/try-to-print';
import { loginWords, wordOf } from '../same-login';
import { keyHint as keyHintOf } from '../settings/key-hint';
import { isSameService, type Settings, settingsOf } from '../settings/settings';
import type { Terminal } from '../terminal';
import { conclude, counted } from './conclude';
import { readResultFile } from './read-result-file';
import type { Plan, Recorded, ResultFile } from './result-file';
import { usualResultFile } from './result-path';
import { isSettled, setStatuses } from './set-statuses';
import { type StatusChange, statusOutcomeView } from './status-change';
import { continueResultFile, createResultFile, refuseToOverwrite } from './write-result-file';

/** How several orders are changed. */
export interface BulkOptions {
  /** How many at a time. */
  concurrency: number;
  /** No other is begun once so many have failed; undefined for any number. */
  maxFailures?: number;
  /** Whether orders are looked at only. */
  dryRun?: true;
  /** Whether nobody is asked. */
  yes?: true;
  /** Where what came of each is written down: false for nowhere, undefined for the usual place. */
  resultFile?: string | false;
}

type Options = GlobalOptions & BulkOptions;

/** Moves several orders to a status, prints what came of each, and writes it down. */
export async function changeMany(
  planned: StatusChange & Pick<Plan, 'ids'>,
  options: Options,
  terminal: Terminal,
): Promise<void> {
  const settings = settingsOf(terminal, options);
  const plan = { ...planned, baseUrl: settings.baseUrl, keyHint: keyHintOf(settings.apiKey) };
  const recorded: Recorded = { plan, outcomes: new Map(), inDoubt: new Set() };
  if (options.dryRun || options.resultFile === false) {
    return await work(recorded, settings, options, terminal, null);
  }
  const path = options.resultFile ?? usualResultFile(terminal);
  const release = lockFile(path);
  try {
    refuseToOverwrite(path);
    const open = () => createResultFile(path, plan, terminal.now());
    await work(recorded, settings, options, terminal, open);
  } finally {
    release();
  }
}

/** Goes on with a result file: with the orders that are not settled, those that failed included. */
export async function resume(path: string, options: Options, terminal: Terminal): Promise<void> {
  const settings = settingsOf(terminal, options);
  // Before it is locked: a lock is not made beside what is not there.
  if (!existsSync(path)) throw new CliError('input_failed', `there is no result file ${path}`);
  const release = lockFile(path);
  try {
    const { cutOff, ...recorded } = readResultFile(path);
    const { baseUrl, keyHint } = recorded.plan;
    if (!isSameService(settings.baseUrl, baseUrl)) {
      throw new CliError(
        'usage',
        `the orders of ${path} are of ${baseUrl}, not of ${settings.baseUrl}`,
        'Set TRADEPOST_BASE_URL, --base-url or --profile to the service that it was begun with.',
      );
    }
    if (keyHint !== keyHintOf(settings.apiKey)) {
      const present = keyHintOf(settings.apiKey);
      note(terminal, `It was begun with the key ${keyHint}, and goes on with ${present}.`);
    }
    const open = () => continueResultFile(path, cutOff);
    await work(recorded, settings, options, terminal, options.dryRun ? null : open);
  } finally {
    release();
  }
}

/** @param open opens the result file, once it is certain that orders are to be changed; null for none */
async function work(
  recorded: Recorded,
  settings: Settings,
  options: Options,
  terminal: Terminal,
  open: (() => ResultFile) | null,
): Promise<void> {
  const { plan, outcomes } = recorded;
  const format = await chooseFormat(options, statusOutcomeView, terminal.stdout);
  const { orders } = connectAs(settings, terminal, options, options.concurrency);
  const left = plan.ids.filter((id) => {
    const known = outcomes.get(id);
    return known === undefined || !isSettled(known);
  });
  // First those whose turn did not come: one that ends each run would keep them from it for ever.
  left.sort((one, other) => Number(outcomes.has(one)) - Number(outcomes.has(other)));
  if (!options.dryRun && left.length > 0) {
    await confirm(questionOf(plan, left.length), terminal, { ...options, canDryRun: true });
  }
  const file = left.length > 0 && open !== null ? open() : null;
  const howToGoOn = file === null ? null : goOnWith(file.path, options);
  const ended = await setStatuses(
    orders,
    recorded,
    {
      targets: left,
      concurrency: options.concurrency,
      maxFailures: options.maxFailures ?? Number.POSITIVE_INFINITY,
      dryRun: options.dryRun ?? false,
      file,
      howToGoOn,
    },
    terminal,
  );
  const unprinted = await tryToPrint(ended.outcomes, format, terminal.stdout);
  conclude(plan, ended, { file, howToGoOn, unprinted }, terminal);
}

function questionOf({ status, ifStatus, baseUrl }: Plan, left: number): string {
  return `Move ${counted(left, ifStatus)} to ${status}, at ${baseUrl}?`;
}

/** The command that goes on, as the same account at the same service. */
function goOnWith(path: string, options: Options): string {
  const words = [...loginWords(options), '--resume', wordOf(path)];
  return `Go on with: tradepost orders set-status ${words.join(' ')}`;
}
