import { explainWebhook } from '@tradepost/sdk/explain';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import { addId, type GlobalOptions } from '../../input/options';
import { chooseFormat, describeShape } from '../../output/format';
import { printNotice, writeData } from '../../output/print';
import { formatHints } from '../../report/hint';
import { toHint } from './action-hint';
import { describeEndpoint } from './endpoint-view';
import { updateWebhook } from './update';
import { webhookView } from './webhook-view';

export function configure(command: Command, context: CliContext): void {
  addId(command, 'whk').action(async (id: string) => {
    const options = command.optsWithGlobals<GlobalOptions>();
    await resume(id, options, context);
  });
  addHelp(command, {
    fields: webhookView.fields,
    Examples: ['$ tradepost webhooks resume whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW'],
    Output: [`json: the webhook as it is now, ${describeShape(webhookView)}`],
    Notes: [
      'It sends pending deliveries, except those older than 24 hours.',
      'A webhook that is not paused stays as it is. `tradepost webhooks retry` sends what waits while its endpoint backs off.',
    ],
  });
}

async function resume(id: string, options: GlobalOptions, context: CliContext): Promise<void> {
  const format = await chooseFormat(options, webhookView, context);
  const webhook = await createClient(context, options).webhooks.get(id, { signal: context.signal });
  if (webhook.status !== 'active') {
    return await updateWebhook(id, { status: 'active' }, 'resumed', options, context);
  }
  await writeData(context.stdout, format.formatItem(webhook));
  const summary = describeEndpoint(webhook, options, context);
  printNotice(context, `It was not paused: ${summary}. Nothing changed.`);
  const { actions } = explainWebhook(webhook, { now: context.now() });
  const hints = formatHints(actions.map(toHint), options);
  if (hints !== null) printNotice(context, hints);
}
