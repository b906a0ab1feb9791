import type { Command } from 'commander';
import { CliError, type CliErrorCode } from '../cli-error';
import { connectAs } from '../connect';
import { type Check, checkShape, checkView, type Finding } from '../doctor/check';
import { checkMachine } from '../doctor/check-machine';
import { checkService, uncheckedService } from '../doctor/check-service';
import { checkSettings } from '../doctor/check-settings';
import type { GlobalOptions } from '../global-options';
import { sections } from '../help/sections';
import { chooseFormat } from '../output/choose-format';
import { note } from '../output/note';
import { writeData } from '../output/write';
import { asSameLogin } from '../same-login';
import type { Terminal } from '../terminal';

/** `tradepost doctor`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost doctor',
          '$ tradepost doctor --profile staging',
          "$ tradepost doctor --jq '.[] | select(.ok == false)'",
        ],
        Output: [
          `json: an array of ${checkShape}`,
          'ok: true, false, or null where it cannot be told or does not matter. true with a hint is a warning. In a table the hints stand below it, on stderr.',
        ],
        Notes: [
          'The exit code is the one of the worst failure: 9 the service, 4 the key, 2 the settings, 1 all else. What a service lacks of what goes beyond the interface is no failure.',
        ],
      }),
    )
    .action(() => doctor(command.optsWithGlobals<GlobalOptions>(), terminal));
}

async function doctor(options: GlobalOptions, terminal: Terminal): Promise<void> {
  const format = await chooseFormat<Check>(options, checkView, terminal.stdout);
  const findings = [...checkMachine(terminal)];
  const { findings: ofSettings, baseUrl, apiKey } = checkSettings(terminal, options);
  findings.push(...ofSettings);
  if (baseUrl === null) {
    findings.push(...uncheckedService('where it is must be known first'));
  } else {
    const hasKey = apiKey !== null;
    // Without a key there is still something to see: whether anybody answers.
    const tradepost = connectAs({ baseUrl, apiKey: apiKey ?? 'none' }, terminal, options);
    findings.push(...(await checkService(tradepost, terminal, { hasKey })));
  }
  const checks = findings.map(({ check, ok, detail, hint }) => ({
    check,
    ok,
    detail,
    hint: hint === null ? null : asSameLogin(hint, options),
  }));
  await writeData(terminal.stdout, format.part(checks));
  await writeData(terminal.stdout, format.end());
  if (options.output === 'table') {
    for (const { check, hint } of checks) if (hint !== null) note(terminal, `${check}: ${hint}`);
  }
  throwWorst(findings.filter((finding) => finding.reason !== null));
}

/** From the worst on: what must be mended first. */
const codes = [
  ['unreachable', 'service_unreachable'],
  ['auth', 'invalid_api_key'],
  ['usage', 'usage'],
] as const;

function throwWorst(failures: readonly Finding[]): void {
  if (failures.length === 0) return;
  const reasons = new Set(failures.map(({ reason }) => reason));
  const code: CliErrorCode = codes.find(([reason]) => reasons.has(reason))?.[1] ?? 'check_failed';
  const names = failures.map(({ check }) => check).join(', ');
  const count = failures.length === 1 ? '1 check' : `${failures.length} checks`;
  throw new CliError(code, `${count} failed: ${names}`);
}
