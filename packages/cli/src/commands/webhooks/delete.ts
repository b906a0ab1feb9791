import { isTradepostError, type Tradepost, type WebhookDetails } from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import { addId, type GlobalOptions, yesOption } from '../../input/options';
import { confirm } from '../../input/prompt';
import { chooseFormat, describeShape } from '../../output/format';
import { printChange } from '../../output/print';
import { formatField } from '../../output/text';
import type { View } from '../../output/view';

interface Options extends GlobalOptions {
  yes?: true;
}

/** URL and events are null if the service does not show webhooks. */
interface DeletedWebhook {
  id: string;
  url: string | null;
  events: WebhookDetails['events'] | null;
  deleted: true;
}

const deletedView: View<DeletedWebhook> = { fields: ['id', 'url', 'events', 'deleted'] };

export function configure(command: Command, context: CliContext): void {
  addId(command, 'whk')
    .option(...yesOption)
    .action((id: string) => deleteWebhook(id, command.optsWithGlobals<Options>(), context));
  addHelp(command, {
    fields: deletedView.fields,
    Examples: ['$ tradepost webhooks delete whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW --yes'],
    Output: [`json: ${describeShape(deletedView)}`],
    Notes: [
      'Pending deliveries are not sent, and its deliveries are no longer listed.',
      '`tradepost webhooks pause` keeps them.',
    ],
  });
}

async function deleteWebhook(id: string, options: Options, context: CliContext): Promise<void> {
  const format = await chooseFormat(options, deletedView, context);
  const { webhooks } = createClient(context, options);
  const webhook = await findWebhook(webhooks, id, context);
  await confirm(`Delete ${describe(id, webhook)} with all its deliveries?`, context, options);
  await webhooks.delete(id, { signal: context.signal });
  const { url = null, events = null } = webhook ?? {};
  const text = () => format.formatItem({ id, url, events, deleted: true });
  await printChange(context, `${id} is deleted`, text);
}

/** Requests a webhook. Returns null if the service does not support that request, and may support others. */
async function findWebhook(
  webhooks: Tradepost['webhooks'],
  id: string,
  { signal }: CliContext,
): Promise<Partial<WebhookDetails> | null> {
  try {
    return await webhooks.get(id, { signal });
  } catch (error) {
    if (isTradepostError(error) && (error.status === 405 || error.status === 501)) return null;
    throw error;
  }
}

/** Names a webhook: its ID, and where it sends which events. */
function describe(id: string, webhook: Partial<WebhookDetails> | null): string {
  const { url, events } = webhook ?? {};
  if (url === undefined) return id;
  const types = events === undefined ? '' : ` for ${formatField(events)}`;
  return `${id} (${formatField(url)}${types})`;
}
