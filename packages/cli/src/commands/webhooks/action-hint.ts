import type { Action } from '@tradepost/sdk/explain';
import { commandHint, type Hint, localHint } from '../../errors/cli-error';

/** Adds to an action the command that does it. */
export function toHint(action: Action): Hint {
  const text = action.text.replace(/\.$/, ':');
  switch (action.type) {
    case 'replay':
      return commandHint(text, 'webhooks replay', action.deliveryId);
    case 'retry':
      return commandHint(text, 'webhooks retry', action.webhookId);
    case 'resume':
      return commandHint(text, 'webhooks resume', action.webhookId);
    case 'change_url':
      return commandHint(text, 'webhooks update', action.webhookId, '--url', 'https://…');
    case 'test':
      return commandHint(
        text,
        'webhooks test',
        action.webhookId,
        '--event',
        action.event,
        '--wait',
      );
    case 'verify':
      return localHint(text, 'webhooks verify');
    case 'forward':
      return commandHint(text, 'webhooks listen');
    default:
      return action.text;
  }
}
