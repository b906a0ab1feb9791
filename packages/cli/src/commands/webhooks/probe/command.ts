import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ProbeCaseResult, ProbeCause, ProbeReport } from '@tradepost/sdk/testing';
import type { Command } from 'commander';
import { isLoopback } from '../../../config/settings';
import type { CliContext } from '../../../context';
import { attempt, CliError, isRecord } from '../../../errors/cli-error';
import { addHelp } from '../../../help/help';
import { type GlobalOptions, repeatable, verboseOption, yesOption } from '../../../input/options';
import { confirm } from '../../../input/prompt';
import { chooseFormat, describeShape, isForPerson } from '../../../output/format';
import { printNotice, writeData } from '../../../output/print';
import { createProgress } from '../../../output/progress';
import { formatCount, formatDuration } from '../../../output/text';
import type { View } from '../../../output/view';
import { readSecretFile, signDelivery } from '../secret';
import { parseReceiver } from '../webhook-options';
import { countBy } from './count-by';
import { toJUnit } from './junit';

interface Options extends GlobalOptions {
  secretFile: string[];
  declare?: string;
  countCommand?: string;
  junit?: string;
  verbose?: true;
  yes?: true;
}

const caseView: View<ProbeCaseResult> = {
  fields: ['name', 'expectation', 'verdict', 'status', 'error', 'cause', 'durationMs'],
  columns: [
    { title: 'CASE', field: 'name' },
    {
      ...{ title: 'EXPECTED', field: 'expectation', whenNarrow: 'leave-out' },
      text: ({ expectation: one }) => (one === 'either' ? 'accept/refuse' : one),
    },
    {
      ...{ title: 'VERDICT', field: 'verdict' },
      style: ({ verdict }) => (verdict === 'fail' ? 'red' : verdict === 'pass' ? 'green' : null),
    },
    { title: 'GOT', field: 'status', text: ({ status, error }) => String(status ?? error ?? '-') },
    { title: 'CAUSE', field: 'cause', whenNarrow: 'leave-out' },
  ],
};

/** A response that takes longer is shown, in milliseconds. */
const patienceMs = 1_000;

/** Causes that mean that there was no connection: then nothing was sent. */
const unconnected = ['unreachable', 'no TLS', 'TLS error'];

const reportView: View<ProbeReport> = { fields: ['verdict', 'counts', 'cases', 'causes'] };

export function configure(command: Command, context: CliContext): void {
  const addFile = repeatable((file: string, before: string[] = []) => [...before, file]);
  command
    .argument('<url>', 'receiver, such as http://127.0.0.1:3000/webhooks', parseReceiver)
    .requiredOption(
      '--secret-file <file>',
      'file with its secret; repeat it for a staged one',
      addFile,
    )
    .option('--declare <file>', 'JSON file with what the receiver is meant to do')
    .option('--count-command <command>', 'prints how many events it has acted on so far')
    .option('--junit <file>', 'write the cases to this file as JUnit XML')
    .option(...verboseOption)
    .option(...yesOption)
    .action((url: string) => probe(url, command.optsWithGlobals<Options>(), context));
  addHelp(command, {
    fields: caseView.fields,
    Examples: [
      '$ tradepost webhooks probe http://127.0.0.1:3000/webhooks --secret-file webhook.secret',
      '$ tradepost webhooks probe http://127.0.0.1:3000/webhooks --secret-file webhook.secret --declare receiver.json --junit probe.xml',
    ],
    Output: [
      'json: { verdict, counts: { pass, fail, note, notRun }, cases, causes: [{ name, verdict, text, cases }] }',
      `cases, and csv and ndjson: ${describeShape(caseView)}`,
      'stderr: what is wrong and what to do about it, the most telling first; on a terminal without notes',
    ],
    Notes: [
      'It sends about 60 requests to this URL, one after the other, and to no other: genuine deliveries, and forged ones that must be refused. It contacts no service and needs no key.',
      "All data is that of test events. A receiver of the SDK calls its handlers for them only with `test: 'deliver'`.",
      'It asks before it probes a receiver that is not on this machine.',
      '--declare: { "standardWebhooks": true } if webhook-signature is required, so that replays must be refused; { "signatureHeaderAlone": true } if Service-Signature alone must be accepted; and { "webhookId": "whk_…" }.',
      'Expected accept/refuse, in json either: both are right. A note is unusual, and does no harm.',
      'It takes seconds. A response may take 15 seconds; after one that does not come, or after 5 minutes, the next request is sent after one second. So it ends after at most 7 minutes.',
      '--count-command finds effects that happen twice, or before the verification. A shell runs it after each case.',
      'Exit code 0: no case failed. Exit code 1: the receiver is wrong. Exit code 2: no connection was made, so nothing was sent, or a limit of requests ended the probe before a case failed.',
    ],
  });
}

async function probe(url: string, options: Options, context: CliContext): Promise<void> {
  const asReport = options.output === 'json' && options.fields === undefined;
  const formatCases = await chooseFormat(options, caseView, context);
  const formatReport = asReport ? await chooseFormat(options, reportView, context) : null;
  const [secret = '', nextSecret, ...more] = await readSecrets(options.secretFile);
  if (more.length > 0) throw new CliError('usage', '--secret-file may be given twice at most');
  if (secret === nextSecret) throw new CliError('usage', 'Both files have the same secret');
  const declare = options.declare === undefined ? {} : readDeclaration(options.declare);
  const { countCommand, junit } = options;
  if (junit !== undefined) {
    const check = () => accessSync(dirname(junit), constants.W_OK);
    attempt(check, 'usage', 'Cannot write the JUnit file');
  }
  const handled = countCommand === undefined ? undefined : countBy(countCommand, context);
  const { origin, pathname, hostname } = new URL(url);
  // The query may have a token.
  const address = `${origin}${pathname}`;
  if (!isLoopback(hostname)) {
    const question = `Send about 60 requests, a third of them forged, to ${address}?`;
    await confirm(question, context, options);
  }
  const { probeReceiver } = await import('../../../lazy/probe-receiver');
  const { signal } = context;
  const progress = createProgress(null, context);
  const onCase = (name: string) => {
    const since = context.elapsed();
    progress.hold(() => {
      const waited = context.elapsed() - since;
      if (waited < patienceMs) return null;
      return `Waiting for the response to: ${name} (${formatDuration(waited / 1_000)})`;
    });
  };
  const report = await probeReceiver({
    ...{ url, secret, nextSecret, declare, handled, signal, onCase },
  })
    .catch((error: unknown) => {
      if (signal.aborted) throw new CliError('interrupted', 'Interrupted');
      if (!(error instanceof TypeError && error.message.startsWith('declare.'))) throw error;
      throw new CliError('usage', `${options.declare}: ${error.message.slice('declare.'.length)}`);
    })
    .finally(() => progress.end());
  if (junit !== undefined) {
    const write = () => writeFileSync(junit, toJUnit(address, report));
    attempt(write, 'file_failed', 'Cannot write the JUnit file');
  }
  const { cases, causes, counts } = report;
  const isShort = isForPerson(options, context) && !options.verbose;
  const shown = isShort ? cases.filter(({ verdict }) => verdict === 'fail') : cases;
  await writeData(
    context.stdout,
    formatReport?.formatItem(report) ??
      `${await formatCases.formatItems(shown)}${await formatCases.end()}`,
  );
  if (formatReport === null) {
    // Without the second one, a count that never rises would look like a success.
    const isShown = ({ name, verdict }: ProbeCause) =>
      verdict === 'fail' || name === 'effects not judged' || !isShort;
    for (const cause of causes.filter(isShown)) {
      const which = cause.verdict === 'fail' ? formatCount(cause.cases.length, 'case') : 'note';
      printNotice(context, `${cause.name} (${which}): ${cause.text}`);
    }
  }
  const { pass, fail, note, notRun } = counts;
  const summary = `${pass} passed, ${fail} failed, ${note} noted, ${notRun} not run`;
  if (causes.length > 0 && causes.every(({ name }) => unconnected.includes(name))) {
    throw new CliError('probe_inconclusive', `No connection was made: ${summary}`);
  }
  if (report.verdict === 'fail') {
    throw new CliError('probe_failed', `The receiver is wrong: ${summary}`);
  }
  if (report.verdict === 'inconclusive') {
    throw new CliError('probe_inconclusive', `The receiver limits requests: ${summary}`);
  }
  printNotice(context, `No mistake found: ${summary}.`);
}

/**
 * Reads secrets. White space around them does not count.
 *
 * @throws {CliError} `input_unreadable`, or `usage` for a file that has no secret
 */
async function readSecrets(files: readonly string[]): Promise<string[]> {
  const secrets: string[] = [];
  for (const file of files) {
    const secret = readSecretFile(file).trim();
    const isSecret = await signDelivery({ body: '', secret }).then(
      () => !/\s/.test(secret),
      () => false,
    );
    if (!isSecret) {
      const hint = 'The file must contain the whole secret, whsec_ and base64, and nothing else.';
      throw new CliError('usage', `${file} has no valid secret`, hint);
    }
    secrets.push(secret);
  }
  return secrets;
}

/** @throws {CliError} `input_unreadable`, or `usage` for a file that has no JSON object */
function readDeclaration(file: string): Record<string, unknown> {
  const read = () => readFileSync(file, 'utf8');
  const text = attempt(read, 'input_unreadable', 'Cannot read what is declared');
  const value: unknown = attempt(
    () => JSON.parse(text.replace(/^\ufeff/, '')),
    'usage',
    `${file} is not JSON`,
  );
  if (isRecord(value)) return value;
  throw new CliError('usage', `${file} is not a JSON object`);
}
