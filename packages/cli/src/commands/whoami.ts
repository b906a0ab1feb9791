import type { Command } from 'commander';
import { createClientFor } from '../client/create-client';
import { fetchIdentity, identityView, toIdentity } from '../config/identity';
import { parseAccount, saveAccount } from '../config/profiles';
import { resolveSettings } from '../config/settings';
import type { CliContext } from '../context';
import { addHelp } from '../help/help';
import type { GlobalOptions } from '../input/options';
import { chooseFormat, describeShape } from '../output/format';
import { printNotice, writeData } from '../output/print';

export function configure(command: Command, context: CliContext): void {
  command.action(() => whoami(command.optsWithGlobals<GlobalOptions>(), context));
  addHelp(command, {
    fields: identityView.fields,
    Examples: [
      '$ tradepost whoami',
      '$ tradepost whoami --profile staging',
      '$ tradepost whoami --output json | jq -r .accountKind',
    ],
    Output: [`json: ${describeShape(identityView)}`],
    Notes: [
      'It sends a request: a rejected key ends with exit code 4.',
      'What the service does not report is null. Only the first characters of the key are shown.',
      'It updates the account that `tradepost profiles list` shows.',
    ],
  });
}

async function whoami(options: GlobalOptions, context: CliContext): Promise<void> {
  const format = await chooseFormat(options, identityView, context);
  const settings = resolveSettings(context, options);
  const tradepost = createClientFor(settings, context, options);
  const account = await fetchIdentity(tradepost, { signal: context.signal });
  const { profile, apiKey, apiKeySource } = settings;
  const known = parseAccount(account);
  if (profile !== null && apiKeySource === 'profile' && known !== null) {
    await saveAccount(context, profile, apiKey, known);
  }
  await writeData(context.stdout, format.formatItem(toIdentity(settings, account)));
  if (account === null) {
    printNotice(context, 'The key is valid. The service does not report its account.');
  }
}
