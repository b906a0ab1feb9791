import type { StagedSecret } from '@tradepost/sdk';
import type { Command } from 'commander';
import { connect } from '../../connect';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { confirm } from '../../input/confirm';
import { idArgument } from '../../input/id-argument';
import { chooseFormat } from '../../output/choose-format';
import type { View } from '../../output/column';
import { note } from '../../output/note';
import { showChange } from '../../output/show-change';
import type { Terminal } from '../../terminal';
import { newSecretFileOption } from '../../webhooks/new-secret-file';
import { tellSecret } from '../../webhooks/tell-secret';
import { webhookShape, webhookView } from './webhook-view';

interface Options extends GlobalOptions {
  promote?: true;
  yes?: true;
  secretFile?: string;
}

const stagedSecretView: View<StagedSecret> = {
  fields: ['webhookId', 'secret', 'stagedAt'],
  columns: [],
};

/** `tradepost webhooks rotate-secret <id> [--promote]`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addArgument(idArgument(command, 'whk'))
    .option('--promote', 'make the staged secret the current one')
    .option('--yes', 'do not ask before --promote')
    .addOption(newSecretFileOption(command).conflicts('promote'))
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost webhooks rotate-secret whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW --secret-file next.secret',
          '$ tradepost webhooks rotate-secret whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW --promote --yes',
        ],
        Output: [
          `json: { ${stagedSecretView.fields.join(', ')} }`,
          `json, with --promote: the webhook as it now is, ${webhookShape}`,
        ],
        Notes: [
          '1. Without --promote it makes a new secret and shows it, once. Let your receivers accept both secrets.',
          '2. With --promote the new one takes the place of the old one, which signs nothing any more.',
          'Staging again replaces what was staged.',
        ],
      }),
    )
    .action((id: string) => {
      const options = command.optsWithGlobals<Options>();
      return options.promote ? promote(id, options, terminal) : stage(id, options, terminal);
    });
}

async function stage(id: string, options: Options, terminal: Terminal): Promise<void> {
  const { webhooks } = connect(terminal, options);
  const next = `then run \`tradepost webhooks rotate-secret ${id} --promote\``;
  await tellSecret(
    {
      ask: () => webhooks.stageSecret(id, { signal: terminal.signal }),
      view: stagedSecretView,
      what: () => `a new secret of ${id} is staged`,
      advice: `The secret is not shown again. Let your receivers accept it beside the present one, ${next}.`,
    },
    terminal,
    options,
  );
}

async function promote(id: string, options: Options, terminal: Terminal): Promise<void> {
  const format = await chooseFormat(options, webhookView, terminal.stdout);
  const { webhooks } = connect(terminal, options);
  if (!options.yes) {
    note(terminal, 'Receivers that know the present secret alone will refuse deliveries.');
  }
  await confirm(`Promote the staged secret of ${id}?`, terminal, options);
  const webhook = await webhooks.promoteSecret(id, { signal: terminal.signal });
  const what = `the staged secret of ${id} is the current one`;
  const look = `tradepost webhooks get ${id}`;
  await showChange({ what, look, text: () => format.one(webhook) }, terminal);
}
