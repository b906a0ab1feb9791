import type { Command } from 'commander';
import { createClientFor } from '../../client/create-client';
import type { CliContext } from '../../context';
import { CliError } from '../../errors/cli-error';
import { addHelp } from '../../help/help';
import type { GlobalOptions } from '../../input/options';
import { chooseFormat, describeShape } from '../../output/format';
import { printNotice, writeData } from '../../output/print';
import { formatCount } from '../../output/text';
import { chooseTimes, formatTimes } from '../../output/times';
import type { View } from '../../output/view';
import { formatHints } from '../../report/hint';
import { checkMachine, checkProxy, checkSettings, type Finding } from './check-machine';
import { checkService, skipService } from './check-service';

interface Check {
  check: string;
  ok: boolean | null;
  detail: string;
  hint: string | null;
}

function getResult({ ok, hint }: Check): 'ok' | 'warning' | 'FAILED' | '-' {
  if (ok === null) return '-';
  if (!ok) return 'FAILED';
  return hint === null ? 'ok' : 'warning';
}

const styles = { ok: 'green', warning: 'yellow', FAILED: 'red', '-': 'dim' } as const;

const checkView: View<Check> = {
  fields: ['check', 'ok', 'detail', 'hint'],
  columns: [
    { title: 'CHECK', field: 'check' },
    { title: 'RESULT', field: 'ok', text: getResult, style: (check) => styles[getResult(check)] },
    // Never shortened: an address with a gap is useless.
    { title: 'DETAIL', field: 'detail', whenNarrow: 'wrap' },
  ],
};

export function configure(command: Command, context: CliContext): void {
  command.action(() => doctor(command.optsWithGlobals<GlobalOptions>(), context));
  addHelp(command, {
    fields: checkView.fields,
    Examples: [
      '$ tradepost doctor',
      '$ tradepost doctor --profile staging',
      "$ tradepost doctor --jq '.[] | select(.ok == false)'",
    ],
    Output: [
      `json: an array of ${describeShape(checkView)}`,
      'ok: true, false, or null if unknown or skipped. true with a hint is a warning. Below a table the hints are on stderr.',
    ],
    Notes: [
      'The exit code is that of the worst failure: 9 service, 4 key, 2 settings, 1 other. A missing extension is not a failure.',
    ],
  });
}

async function doctor(options: GlobalOptions, context: CliContext): Promise<void> {
  const format = await chooseFormat(options, checkView, context);
  const settings = checkSettings(context, options);
  const { baseUrl, apiKey } = settings;
  const proxy = checkProxy(context, baseUrl);
  const findings = [...checkMachine(context), ...settings.findings, proxy];
  if (baseUrl === null || proxy.ok === false) {
    findings.push(...skipService(baseUrl === null ? 'no service URL' : 'no valid proxy'));
  } else {
    // Without a key it can still be checked that the service responds.
    const tradepost = createClientFor({ baseUrl, apiKey: apiKey ?? 'none' }, context, options);
    const hasKey = apiKey !== null;
    findings.push(...(await checkService(tradepost, context, hasKey)));
  }
  const times = chooseTimes(options, context);
  const localize = (text: string) => (times === null ? text : formatTimes(text, times.alone));
  const checks = findings.map(({ check, ok, detail, hints }) => {
    const hint = formatHints(hints, options);
    return { check, ok, detail: localize(detail), hint: hint === null ? null : localize(hint) };
  });
  await writeData(context.stdout, format.formatItems(checks));
  await writeData(context.stdout, format.end());
  if (options.output === 'table') {
    for (const { check, hint } of checks) {
      if (hint !== null) printNotice(context, `${check}: ${hint}`);
    }
  }
  throwMostSevere(findings.filter((finding) => finding.reason !== null));
}

const codesByReason = [
  ['unreachable', 'service_unreachable'],
  ['auth', 'invalid_api_key'],
  ['usage', 'usage'],
] as const;

function throwMostSevere(failures: readonly Finding[]): void {
  if (failures.length === 0) return;
  const reasons = new Set(failures.map(({ reason }) => reason));
  const code = codesByReason.find(([reason]) => reasons.has(reason))?.[1] ?? 'check_failed';
  const names = failures.map(({ check }) => check).join(', ');
  throw new CliError(code, `${formatCount(failures.length, 'check')} failed: ${names}`);
}
