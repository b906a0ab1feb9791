import { allEventTypes, type StagedSecret, type Tradepost } from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { CliError, commandHint } from '../../errors/cli-error';
import { addHelp } from '../../help/help';
import { addId, type GlobalOptions, yesOption } from '../../input/options';
import { confirm } from '../../input/prompt';
import { chooseFormat, describeShape } from '../../output/format';
import { printChange, printCommand, printNotice } from '../../output/print';
import { newSecretFileOption, revealSecret } from '../../output/reveal-secret';
import { formatRelative } from '../../output/times';
import type { View } from '../../output/view';
import { formatCommand } from '../../report/hint';
import { withoutSecret } from './secret';
import { webhookView } from './webhook-view';

interface Options extends GlobalOptions {
  promote?: true;
  yes?: true;
  secretFile?: string;
}

const stagedSecretView: View<StagedSecret> = {
  fields: ['webhookId', 'secret', 'stagedAt'],
};

export function configure(command: Command, context: CliContext): void {
  addId(command, 'whk')
    .option('--promote', 'make the staged secret the current one')
    .option(...yesOption)
    .addOption(newSecretFileOption(command).conflicts('promote'))
    .action((id: string) => {
      const options = command.optsWithGlobals<Options>();
      return options.promote ? promote(id, options, context) : stage(id, options, context);
    });
  addHelp(command, {
    fields: [...stagedSecretView.fields, ...webhookView.fields],
    Examples: [
      '$ tradepost webhooks rotate-secret whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW --secret-file next.secret',
      '$ tradepost webhooks rotate-secret whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW --promote --yes',
    ],
    Output: [
      `json: ${describeShape(stagedSecretView)}`,
      `json, with --promote: the webhook as it is now, ${describeShape(webhookView)}`,
    ],
    Notes: [
      '1. Without --promote it stages a new secret and shows it once. Configure your receivers to accept both secrets.',
      '2. With --promote the new secret replaces the old one, which signs nothing any more.',
      'Until then the old secret stays in use: neither of them expires. Staging again replaces the staged secret: it asks before that.',
    ],
  });
}

async function stage(id: string, options: Options, context: CliContext): Promise<void> {
  const { webhooks } = createClient(context, options);
  await revealSecret(
    {
      async request() {
        await confirmReplacement(webhooks, id, options, context);
        return await webhooks.stageSecret(id, { signal: context.signal });
      },
      view: stagedSecretView,
      subject: () => `a new secret of ${id} is staged`,
      withoutSecret,
      advice: 'The secret is not shown again.',
      nextSteps: {
        texts: [
          'Next: configure your receivers to accept both secrets. Neither expires: the current one stays in use until you promote the new one.',
          'Then promote it, which ends the current secret:',
        ],
        command: formatCommand(
          { command: 'webhooks rotate-secret', args: [id, '--promote'] },
          options,
        ),
      },
    },
    context,
    options,
  );
}

/** Asks before a secret that is staged already is replaced: receivers may be configured with it. */
async function confirmReplacement(
  webhooks: Tradepost['webhooks'],
  id: string,
  options: Options,
  context: CliContext,
): Promise<void> {
  if (options.yes) return;
  const stagedAt = await findStagedAt(webhooks, id, context);
  if (!stagedAt) return;
  const ago = formatRelative(Date.parse(stagedAt), context.now());
  const when = ago === 'now' ? 'just now' : ago;
  const question = `Replace the secret of ${id} that was staged ${when}? That one will sign nothing.`;
  await confirm(question, context, options);
}

/**
 * Returns when the secret was staged that the webhook has now; null without one, and undefined where the
 * service does not show it.
 */
async function findStagedAt(
  webhooks: Tradepost['webhooks'],
  id: string,
  { signal }: CliContext,
): Promise<string | null | undefined> {
  const found = await webhooks.get(id, { signal }).safe();
  if (found.ok) return found.data.stagedSecretAt;
  const { code, status } = found.error;
  // A service may have secrets that can be staged, and not show its webhooks.
  if (code === 'webhook_not_found' || ![404, 405, 501].includes(status ?? 0)) throw found.error;
  return undefined;
}

async function promote(id: string, options: Options, context: CliContext): Promise<void> {
  const format = await chooseFormat(options, webhookView, context);
  const { webhooks } = createClient(context, options);
  if (!options.yes) {
    await assertStaged(webhooks, id, context);
    printNotice(context, 'Receivers that know only the current secret will reject deliveries.');
  }
  await confirm(`Promote the staged secret of ${id}?`, context, options);
  const webhook = await webhooks.promoteSecret(id, { signal: context.signal });
  await printChange(
    context,
    `the staged secret of ${id} is now the current one`,
    () => format.formatItem(webhook),
    commandHint('To see the webhook, run', 'webhooks get', id),
  );
  const event = allEventTypes.find((type) => webhook.events?.includes(type)) ?? allEventTypes[0];
  const test = { command: 'webhooks test', args: [id, '--event', event, '--wait'] };
  printNotice(context, 'The old secret signs nothing any more: remove it from your receivers.');
  printNotice(context, 'Check them with a test event:');
  printCommand(context, formatCommand(test, options));
}

/**
 * Checks that a secret is staged before the user is asked. Without a terminal there is no question.
 *
 * @throws {CliError} `no_staged_secret`
 */
async function assertStaged(
  webhooks: Tradepost['webhooks'],
  id: string,
  context: CliContext,
): Promise<void> {
  if (context.stderr.isTTY !== true) return;
  if ((await findStagedAt(webhooks, id, context)) !== null) return;
  throw new CliError(
    'no_staged_secret',
    `Webhook ${id} has no staged secret`,
    commandHint('Stage a secret first:', 'webhooks rotate-secret', id),
  );
}
