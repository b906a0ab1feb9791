import { type Command, InvalidArgumentError, Option } from 'commander';
import { allChecks, checksOf } from '../checks/all-checks';
import { readProfile } from '../profile/read-profile';
import { createProgress } from '../report/progress';
import { levels, type Mode } from '../report/report';
import {
  checkOutputs,
  formats,
  type ReportFormat,
  type ReportOutput,
  writeReports,
} from '../report/write-report';
import { checkService } from '../run/check-service';
import { whyLeftOut } from '../run/judge';
import { Exit, type Host } from './host';

interface CheckFlags {
  profile: string;
  quick?: true;
  long?: true;
  level: (typeof levels)[number] | 'all';
  only: string[];
  skip: string[];
  allowInconclusive?: true;
  strict?: true;
  format: ReportFormat;
  report: ReportOutput[];
}

const formatNames = Object.keys(formats) as ReportFormat[];
const isFormat = (name: string): name is ReportFormat => formatNames.some((one) => one === name);

/** What the specification says cannot be waived, except how deliveries reach the receiver of a test. */
function refuseWaiver(id: string): string | null {
  const check = allChecks.find((one) => one.id === id);
  if (!check) return 'There is no such check. See tradepost-conformance list.';
  if (check.class === 'derived' || id === 'EVT-3') return null;
  return `${id} cannot be waived: only derived checks and EVT-3 can. See tradepost-conformance list.`;
}

/** Reads `AUTH-1,SIG`: IDs and families that exist. */
function readIds(value: string, before: string[]): string[] {
  const ids = value.split(',').map((id) => id.trim().toUpperCase());
  for (const id of ids) {
    if (!allChecks.some((check) => check.id === id || check.id.startsWith(`${id}-`))) {
      throw new InvalidArgumentError(`There is no check "${id}". See tradepost-conformance list.`);
    }
  }
  return [...before, ...ids];
}

function readOutput(value: string, before: ReportOutput[]): ReportOutput[] {
  const [format = '', ...file] = value.split('=');
  if (!isFormat(format) || file.join('=') === '') {
    throw new InvalidArgumentError(
      `Expected FORMAT=FILE, with a format of ${formatNames.join(', ')}.`,
    );
  }
  return [...before, { format, file: file.join('=') }];
}

/** `check`: runs the checks against a service. */
export function addCheck(program: Command, host: Host): void {
  program
    .command('check')
    .description('Check the service of a profile.')
    .option('--profile <file>', 'the profile, which init writes', 'conformance.yaml')
    .addOption(new Option('--quick', 'observe no retries: about 20 seconds').conflicts('long'))
    .option('--long', 'observe retries for 24 hours and a half')
    .addOption(
      new Option(
        '--level <level>',
        'core: the specification alone; extensions: what the service has beyond',
      )
        .choices([...levels, 'all'])
        .default('all'),
    )
    .option('--only <ids>', 'judge these checks or families alone: SIG,EVT-13', readIds, [])
    .option('--skip <ids>', 'leave these out', readIds, [])
    .option('--allow-inconclusive', 'exit with 0 although stated checks could not be judged')
    .option('--strict', 'let advice fail too')
    .addOption(
      new Option('--format <format>', 'of the report on stdout')
        .choices(formatNames)
        .default('text'),
    )
    .option('--report <format=file>', 'write a report to a file too; repeatable', readOutput, [])
    .action((flags: CheckFlags) => check(flags, host));
}

async function check(flags: CheckFlags, host: Host): Promise<void> {
  const mode: Mode = flags.quick ? 'quick' : flags.long ? 'long' : 'default';
  const { level, only, skip, allowInconclusive, strict } = flags;
  if (checksOf[level].every((one) => whyLeftOut(one, mode, { only, skip }) !== null)) {
    throw new Exit(
      2,
      'error: The options leave no check to judge. See tradepost-conformance list; RTY needs a run without --quick, RTY-8 and RTY-9 need --long.',
    );
  }
  const profile = readProfile(flags.profile, { env: host.env, refuseWaiver });
  await checkOutputs(flags.report);
  const stop = new AbortController();
  const progress = createProgress(host.stderr);
  host.onSignal(() => {
    progress.end();
    if (stop.signal.aborted) host.exit(130);
    host.stderr.write('Stopping: cleaning up and reporting. Once more ends at once.\n');
    stop.abort('by a signal, such as Ctrl-C.');
  });
  try {
    const report = await checkService(profile, {
      mode,
      level,
      only,
      skip,
      allowInconclusive,
      strict,
      signal: stop.signal,
      onPhase: progress.phase,
    });
    progress.end();
    const outputs = [{ format: flags.format, file: null }, ...flags.report];
    await writeReports(report, outputs, host.stdout);
    if (report.exitCode !== 0) throw new Exit(report.exitCode);
  } finally {
    progress.end();
  }
}
