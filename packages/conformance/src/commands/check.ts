import { type Command, InvalidArgumentError, Option } from 'commander';
import { allChecks } from '../checks/all-checks';
import { readProfile } from '../profile/read-profile';
import { createProgress } from '../report/progress';
import { levels, type Mode } from '../report/report';
import {
  formats,
  type ReportFormat,
  type ReportOutput,
  writeReports,
} from '../report/write-report';
import { checkService } from '../run/check-service';
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
  output?: string;
  report: ReportOutput[];
}

const formatNames = Object.keys(formats) as ReportFormat[];
const isFormat = (name: string): name is ReportFormat => formatNames.some((one) => one === name);

/** What the specification says cannot be waived, except how deliveries reach the receiver of a test. */
const mayWaive = (id: string) =>
  allChecks.some((check) => check.id === id && (check.class === 'derived' || id === 'EVT-3'));

/** Reads `AUTH-1,SIG`: IDs and families that exist. */
function readIds(value: string, before: string[]): string[] {
  const ids = value.split(',').map((id) => id.trim().toUpperCase());
  for (const id of ids) {
    if (!allChecks.some((check) => check.id === id || check.id.startsWith(`${id}-`))) {
      throw new InvalidArgumentError(`There is no check ${id}.`);
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
    .requiredOption('--profile <file>', 'the profile, see init')
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
      new Option('--format <format>', 'of the report').choices(formatNames).default('text'),
    )
    .option('--output <file>', 'where to write it, instead of stdout')
    .option('--report <format=file>', 'write a further report; repeatable', readOutput, [])
    .action((flags: CheckFlags) => check(flags, host));
}

async function check(flags: CheckFlags, host: Host): Promise<void> {
  const profile = readProfile(flags.profile, { env: host.env, mayWaive });
  const stop = new AbortController();
  const progress = createProgress(host.stderr);
  host.onSignal(() => {
    progress.end();
    if (stop.signal.aborted) host.exit(130);
    host.stderr.write('Stopping: cleaning up and reporting. Once more ends at once.\n');
    stop.abort('by a signal, such as Ctrl-C.');
  });
  const mode: Mode = flags.quick ? 'quick' : flags.long ? 'long' : 'default';
  const { level, only, skip, allowInconclusive, strict } = flags;
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
    const outputs = [{ format: flags.format, file: flags.output ?? null }, ...flags.report];
    await writeReports(report, outputs, host.stdout);
    if (flags.output !== undefined) host.stdout.write(`${report.conclusion}\n`);
    if (report.exitCode !== 0) throw new Exit(report.exitCode);
  } finally {
    progress.end();
  }
}
