import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import { addId, type GlobalOptions } from '../../input/options';
import { describeShape } from '../../output/format';
import { printItem, printNotice } from '../../output/print';
import { formatHints } from '../../report/hint';
import { describeEndpoint, isUnhealthy } from './endpoint-view';
import { webhookView } from './webhook-view';

export function configure(command: Command, context: CliContext): void {
  addId(command, 'whk').action(async (id: string) => {
    const options = command.optsWithGlobals<GlobalOptions>();
    const load = () => createClient(context, options).webhooks.get(id, { signal: context.signal });
    const webhook = await printItem(load, webhookView, context, options);
    if (options.output !== 'table' || !isUnhealthy(webhook, context)) return;
    const text = `${describeEndpoint(webhook, options, context)}. For what to do, run`;
    const hint = { text, command: 'webhooks explain', args: [id] };
    printNotice(context, formatHints([hint], options) ?? '');
  });
  addHelp(command, {
    fields: webhookView.fields,
    Examples: ['$ tradepost webhooks get whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW'],
    Output: [`json: ${describeShape(webhookView)}`],
  });
}
