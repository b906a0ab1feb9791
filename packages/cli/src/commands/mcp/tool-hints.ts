import type { Hint } from '../../errors/cli-error';
import type { ErrorReport } from '../../report/error-report';

/** The tool that does what a command does, and its arguments, of which the last one is the command's. */
const toolsByCommand: Readonly<Record<string, readonly [tool: string, argument?: string]>> = {
  'orders list': ['list_orders'],
  'orders get': ['get_order', 'id'],
  'notifications list': ['list_notifications'],
  'events list': ['list_events'],
  'webhooks list': ['list_webhooks'],
  'webhooks get': ['get_webhook', 'id'],
  'webhooks stats': ['get_webhook_stats', 'id'],
  'webhooks resume': ['resume_webhook', 'id'],
  'webhooks deliveries': ['list_deliveries', 'webhookId'],
  'webhooks explain': ['explain_delivery', 'id'],
  'webhooks replay': ['replay_delivery', 'id'],
  'webhooks retry': ['plan_replay', 'state pending and webhookId'],
};

/** Where a person and a model do different things. */
const hintsByCode = new Map([
  ['invalid_cursor', 'Call the tool again without cursor.'],
  ['response_too_large', 'Set a smaller limit.'],
]);

/**
 * Says in the terms of tools what to do about an error: those of a person are commands, options and settings.
 *
 * @param offered the tools that there are
 * @returns null if there is nothing to say
 */
export function formatToolHints(
  { code, hints }: Pick<ErrorReport, 'code' | 'hints'>,
  offered: ReadonlySet<string>,
): string | null {
  const own = hintsByCode.get(code);
  if (own !== undefined) return own;
  const texts = hints.flatMap((hint) => formatToolHint(hint, offered) ?? []);
  if (texts.length > 0) return texts.join(' ');
  return hints.length === 0 ? null : 'Tools cannot fix this: tell the user.';
}

/** Says one hint in the terms of tools; null if it has no such terms. */
export function formatToolHint(hint: Hint, offered: ReadonlySet<string>): string | null {
  if (typeof hint === 'string') return /--[a-z]|`|TRADEPOST_/.test(hint) ? null : hint;
  const { text, command, args = [] } = hint;
  const [tool = '', argument] = toolsByCommand[command] ?? [];
  // What the command does not need stays: "Check the path. To change it, run".
  if (!offered.has(tool)) return /^.*[.](?= )/.exec(text)?.[0] ?? null;
  const value = args.find((arg) => !arg.startsWith('--'));
  const given = argument === undefined || value === undefined ? '' : ` with ${argument} ${value}`;
  return `${text.replace(/, run$/, ', call').replace(/:$/, ': call')} ${tool}${given}.`;
}
