import type { UpdateWebhook } from '@tradepost/sdk';
import { connect } from '../../connect';
import type { GlobalOptions } from '../../global-options';
import { chooseFormat } from '../../output/choose-format';
import { showChange } from '../../output/show-change';
import type { Terminal } from '../../terminal';
import { webhookView } from './webhook-view';

/** Changes a webhook and prints it as it now is. */
export async function changeWebhook(
  id: string,
  change: UpdateWebhook,
  options: GlobalOptions,
  terminal: Terminal,
): Promise<void> {
  const format = await chooseFormat(options, webhookView, terminal.stdout);
  const { webhooks } = connect(terminal, options);
  const webhook = await webhooks.update(id, change, { signal: terminal.signal });
  const what = `${id} is ${wordOf(change)}`;
  const look = `tradepost webhooks get ${id}`;
  await showChange({ what, look, text: () => format.one(webhook) }, terminal);
}

function wordOf({ status }: UpdateWebhook): string {
  if (status === undefined) return 'changed';
  return status === 'paused' ? 'paused' : 'resumed';
}
