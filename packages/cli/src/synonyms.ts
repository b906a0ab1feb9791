import { orderStatuses } from '@tradepost/sdk';

/**
 * What is typed, and what it is called here. In what is typed, `|` separates alternatives of a word, and more words may
 * follow. The first row that fits is suggested.
 */
export type Synonym = readonly [typed: string, meant: string];

/**
 * Commands as users of gh, kubectl, stripe, svix and similar programs type them. `*` stands for each group that has
 * the command that is meant, `ID` for the IDs that were typed. A row that names a group only renames it.
 */
export const commandSynonyms: readonly Synonym[] = [
  ['orders update|edit|move|set|patch|transition|status', 'orders set-status'],
  ['orders cancel', 'orders set-status ID cancelled'],
  ['orders confirm|accept|approve', 'orders set-status ID confirmed'],
  ['orders fulfil|fulfill|ship', 'orders set-status ID fulfilling'],
  ['orders complete|finish|close', 'orders set-status ID completed'],
  ['orders add|new|place|submit', 'orders create'],
  ['orders follow|tail|stream|events', 'orders watch'],
  ['notifications get|view|show', 'notifications list'],
  ['notifications ack|dismiss|mark|mark-read|update', 'notifications read'],
  ['webhooks create|add|new', 'webhooks register'],
  ['webhooks edit|set|patch|modify', 'webhooks update'],
  ['webhooks unregister', 'webhooks delete'],
  ['webhooks disable|stop', 'webhooks pause'],
  ['webhooks enable|start|unpause', 'webhooks resume'],
  ['webhooks ping|send|send-example', 'webhooks test'],
  ['webhooks resend|retry|redeliver|recover', 'webhooks replay'],
  ['webhooks rotate|roll|roll-secret|secret', 'webhooks rotate-secret'],
  ['webhooks deliveries list|ls', 'webhooks deliveries'],
  ['webhooks deliveries get|view|show|describe|explain', 'webhooks explain'],
  ['webhooks deliveries replay|resend|retry', 'webhooks replay'],
  ['webhooks attempts|logs|messages', 'webhooks deliveries'],
  ['webhooks debug|diagnose|why', 'webhooks explain'],
  ['webhooks check|validate', 'webhooks verify'],
  ['webhooks forward|serve|tail|tunnel', 'webhooks listen'],
  ['webhooks events', 'events list'],
  ['events follow|listen|stream|tail|watch', 'webhooks listen'],
  ['events resend|retry|replay', 'webhooks replay'],
  ['events trigger|send', 'webhooks trigger'],
  ['profiles add|create|new', 'login --profile NAME'],
  ['profiles delete|remove|rm', 'logout --profile NAME'],
  ['profiles switch|select|set|activate', 'profiles use'],
  ['profiles current|get|show|view', 'whoami'],
  ['* ls|all|find|search', '* list'],
  ['* view|show|describe|inspect|retrieve', '* get'],
  ['* remove|rm|del|destroy', '* delete'],

  ['get|show|view|describe order', 'orders get'],
  ['get|show|view|describe webhook', 'webhooks get'],
  ['cancel order|orders', 'orders set-status ID cancelled'],
  ['list|ls|get *', '* list'],
  ['show|view|describe *', '* get'],
  ['create|add|new *', '* create'],
  ['create|add|new *', '* register'],
  ['update|edit|patch orders|order', 'orders set-status'],
  ['update|edit|patch *', '* update'],
  ['delete|remove|rm *', '* delete'],
  ['order', 'orders'],
  ['notification', 'notifications'],
  ['webhook|endpoint|endpoints|hook|hooks', 'webhooks'],
  ['event', 'events'],
  ['profile|context|contexts', 'profiles'],

  ['auth login', 'login'],
  ['auth logout', 'logout'],
  ['auth status|whoami', 'whoami'],
  ['auth switch', 'profiles use'],
  ['auth list', 'profiles list'],
  ['config use-context|switch', 'profiles use'],
  ['config get-contexts|list|ls|view', 'profiles list'],
  ['auth|config|configure|init|setup|signin|sign-in', 'login'],
  ['signout|sign-out', 'logout'],
  ['account|me|status', 'whoami'],
  ['switch', 'profiles use'],
  ['listen|forward', 'webhooks listen'],
  ['trigger', 'webhooks trigger'],
  ['deliveries|attempts|message-attempt', 'webhooks deliveries'],
  ['explain', 'webhooks explain'],
  ['replay|resend|retry', 'webhooks replay'],
  ['verify', 'webhooks verify'],
  ['watch|follow', 'orders watch'],
  ['set-status', 'orders set-status'],
  ['check|diagnose|ping', 'doctor'],
  ['autocomplete|completions', 'completion'],
  ['man', 'help'],
  ['version', '--version'],
];

/**
 * Options, also with a value, as users of other programs type them. A row counts where the options that are meant
 * exist, or within the group of the command that is meant.
 */
export const optionSynonyms: readonly Synonym[] = [
  ['--limit all|none|unlimited|max|0|-1', '--all'],
  ['--status canceled|cancel', '--status cancelled'],
  ['--status complete|done', '--status completed'],
  ['--status confirm', '--status confirmed'],
  ['--status new|open', '--status pending'],
  ['--if-status canceled', '--if-status cancelled'],
  ['--output jsonl|jsonlines', '--output ndjson'],
  ['--output text|wide|pretty', '--output table'],
  ['--output tsv', '--output csv'],

  ['--format|--output-format|--out', '--output'],
  ['--csv', '--output csv'],
  ['--ndjson|--jsonl', '--output ndjson'],
  ['--table', '--output table'],
  ['--columns|--column|--select|--properties', '--fields'],
  ['--query|--filter|--jsonpath|--jmespath|--template', '--jq'],
  ['--from|--after|--start|--start-date|--created|--created-after|--since-time', '--since'],
  ['--to|--before|--end|--end-date|--created-before', '--until'],
  ['--until|--to|--end|--end-date|--created-before', '--before'],
  ['--force|--confirm|--no-confirm|--no-prompt|--no-input|--assume-yes|--auto-approve|-f', '--yes'],
  ['--qty|--amount|--units|--count', '--quantity'],
  ['--count|--max|--max-items|--page-size|--per-page|--size|--first|--top|-n|-L', '--limit'],
  ['--no-limit|--paginate|--auto-paginate', '--all'],
  ['--starting-after|--ending-before|--cursor|--page|--page-token|--offset', '--all or --limit'],
  ['--state', '--status'],
  ['--status', '--state'],
  ['--status|--to|--state', 'orders set-status ID STATUS'],
  ['--watch|--follow|-w|-f', 'orders watch'],
  ['--event|--event-type|--event-types|--type|--types|--filter-types|--topics', '--events'],
  ['--enabled-events', '--events'],
  ['--events|--event-type|--event-types|--type|--types|--topic', '--event'],
  ['--endpoint|--destination', '--url'],
  ['--endpoint|--endpoint-id|--webhook-id', '--webhook'],
  ['--forward|--to|--target|--url', '--forward-to'],
  ['--dryrun|--preview|--simulate|--what-if|-n', '--dry-run'],
  ['--parallel|--workers|--threads|--jobs|--max-concurrency|-j|-P', '--concurrency'],
  ['--input|--file|--from-file|--filename', '--stdin'],
  ['--idempotency|-i', '--idempotency-key'],
  ['--listing-id|--product', '--listing'],
  ['--customer|--buyer-id|--client', '--buyer'],
  ['--order|--sort-by|--order-by', '--sort'],
  ['--secret|--signing-secret', '--secret-file'],
  ['--headers|-H', '--header'],
  ['--data|--data-raw|--raw-field|-d|-f|-F', '--field'],
  ['--body|--payload|--data-binary|--json-body', '--input'],
  ['--body|--payload|--data|-d', '--body-file'],
  ['--params|--param', '--query'],
  ['--url|--endpoint|--server|--server-url|--host|--api-base|--api-url', '--base-url'],
  ['--context|--account', '--profile'],
  ['-V|-v', '--version'],
  ['--verbose|--trace|--log|--log-file|--log-level|-v', '--debug'],
];

/** Returns the status that a word means, such as `cancelled` for `Canceled`; null if none fits. */
export function findStatus(word: string): string | null {
  const typed = word.toLowerCase();
  const exact = orderStatuses.find((status) => status === typed);
  if (exact !== undefined) return exact;
  const row = optionSynonyms.find(([option]) => {
    const [flag, values] = option.split(' ');
    return flag === '--status' && values?.split('|').includes(typed);
  });
  return row?.[1].split(' ')[1] ?? null;
}
