import { isTradepostError, ValidationError } from '@tradepost/sdk';

const busy = 'The service has too many requests. Wait a moment, then try again.';
const unexpected =
  'The service, or a proxy in front of it, did not respond as it should. Try again; after an upgrade of the service, reload the page.';

/** What a person can do about failures whose own texts are for programs, by their code. */
const texts: Record<string, string> = {
  connection_failed:
    'The service cannot be reached. Check whether other pages load: if they do, the service is down.',
  timeout: 'The service took too long to respond. Try again in a moment.',
  load_failed: 'A part of this page could not be loaded. Reload the page.',
  http_error: unexpected,
  redirected: unexpected,
  invalid_response: unexpected,
  contract_mismatch: unexpected,
  response_too_large: unexpected,
  rate_limited: busy,
  overloaded: busy,
  shutting_down: 'The service is restarting. Try again in a moment.',
  store_unavailable: 'The database of the service is not available. Try again in a moment.',
  internal_error: 'The service failed. Try again; if it fails again, report the request.',
  invalid_cursor: 'This list cannot be continued. Reload the page.',
  webhook_paused: 'The webhook is paused, so nothing is sent to it. Resume it first.',
  no_staged_secret: 'There is no new secret. Create one first.',
};

/** What the fields and filters of the console are called, by the parameters of the API. */
const labels: Record<string, string> = {
  agentId: 'Agent',
  attemptsPerMinute: 'Attempts per minute',
  buyerId: 'Buyer',
  createdAfter: 'From',
  createdBefore: 'Until',
  description: 'Description',
  event: 'Event type',
  eventId: 'Event',
  events: 'Events',
  headers: 'Additional headers',
  listingId: 'Listing',
  orderId: 'Order',
  reason: 'Reason',
  sellerId: 'Seller',
  since: 'From',
  sort: 'Sort',
  state: 'State',
  status: 'Status',
  statusClass: 'Last response',
  type: 'Type',
  until: 'Until',
  url: 'URL',
  webhookId: 'Webhook',
};

/** Names what a problem is about, by the path of its issue, such as `events.0`. */
function getLabel(path: string): string {
  const [name = ''] = path.split('.');
  return Object.hasOwn(labels, name) ? (labels[name] ?? name) : name;
}

/**
 * Says in sentences why a call failed, in the words of the console: what the service and the SDK say names options and parameters that
 * nobody sees here.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'Something failed.';
  if (!isTradepostError(error)) return error.message;
  if (error instanceof ValidationError && error.errors.length > 0) {
    return error.errors
      .map(({ path, message }) => {
        // How a program writes one.
        const isTime = message.startsWith('must be an ISO 8601');
        return `${getLabel(path)}: ${isTime ? 'must be a time' : message}.`;
      })
      .join(' ');
  }
  const status = error.code === 'http_error' ? ` (Status ${error.status})` : '';
  if (Object.hasOwn(texts, error.code)) return `${texts[error.code]}${status}`;
  return error.problem?.detail ?? error.message;
}
