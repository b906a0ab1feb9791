import { exampleIds, operationExamples, signInCode } from './examples';
import { type ListedRoute, schemaFields } from './routes';

/** A sample of an operation in one language, as `x-codeSamples` lists it. */
export interface CodeSample {
  /** Name of the language, for its colours. */
  lang: string;
  /** What the reader chooses. */
  label: string;
  /** The program. It reads `TRADEPOST_BASE_URL` and `TRADEPOST_API_KEY`. */
  source: string;
}

/** A request to write samples of. */
interface SampleRequest {
  /** `POST`. */
  method: string;
  /** Path with its query: `/v1/orders?limit=20`. */
  target: string;
  /** The JSON body; undefined for none. */
  body?: object | undefined;
  /** Whether it can have an `Idempotency-Key`. */
  isIdempotent: boolean;
  /** Whether it has the API key. */
  hasKey: boolean;
}

/** Says in each sample what an idempotency key is for. */
const keyComment = 'To repeat the request, send the same key.';

function writeCurl({ method, target, body, isIdempotent, hasKey }: SampleRequest): string {
  const lines = [
    `curl --fail-with-body${method === 'GET' ? '' : ` --request ${method}`} "$TRADEPOST_BASE_URL${target}"`,
  ];
  if (hasKey) lines.push('  --header "Authorization: Bearer $TRADEPOST_API_KEY"');
  if (isIdempotent) lines.push('  --header "Idempotency-Key: $key"');
  if (body !== undefined) {
    lines.push('  --header "Content-Type: application/json"', `  --data '${JSON.stringify(body)}'`);
  }
  const request = lines.join(' \\\n');
  return isIdempotent ? `key=$(openssl rand -hex 16) # ${keyComment}\n${request}` : request;
}

/** JSON is Python too, except for its constants. */
function toPython(body: object): string {
  return JSON.stringify(body)
    .replaceAll('":', '": ')
    .replaceAll(',"', ', "')
    .replace(/: true\b/g, ': True')
    .replace(/: false\b/g, ': False');
}

function writePython({ method, target, body, isIdempotent, hasKey }: SampleRequest): string {
  const headers = [
    ...(hasKey ? ['        "Authorization": "Bearer " + os.environ["TRADEPOST_API_KEY"],'] : []),
    ...(isIdempotent ? ['        "Idempotency-Key": key,'] : []),
  ];
  return [
    'import os',
    'import sys',
    ...(isIdempotent ? ['import uuid'] : []),
    '',
    'import requests',
    '',
    ...(isIdempotent ? [`key = str(uuid.uuid4())  # ${keyComment}`] : []),
    `response = requests.${method.toLowerCase()}(`,
    `    os.environ["TRADEPOST_BASE_URL"] + "${target}",`,
    ...(headers.length > 0 ? ['    headers={', ...headers, '    },'] : []),
    ...(body === undefined ? [] : [`    json=${toPython(body)},`]),
    '    timeout=60,',
    ')',
    'if not response.ok:',
    '    sys.exit(response.json()["detail"])',
    'print(response.text)',
  ].join('\n');
}

function writeGo({ method, target, body, isIdempotent, hasKey }: SampleRequest): string {
  const json = body === undefined ? undefined : JSON.stringify(body);
  return `package main

import (${isIdempotent ? '\n\t"crypto/rand"' : ''}
	"fmt"
	"io"
	"log"
	"net/http"
	"os"${json === undefined ? '' : '\n\t"strings"'}
	"time"
)

func main() {
	url := os.Getenv("TRADEPOST_BASE_URL") + "${target}"
	request, err := http.NewRequest("${method}", url, ${json === undefined ? 'nil' : `strings.NewReader(\`${json}\`)`})
	if err != nil {
		log.Fatal(err)
	}
${hasKey ? '\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("TRADEPOST_API_KEY"))\n' : ''}${json === undefined ? '' : '\trequest.Header.Set("Content-Type", "application/json")\n'}${isIdempotent ? `\trequest.Header.Set("Idempotency-Key", rand.Text()) // ${keyComment}\n` : ''}
	client := http.Client{Timeout: time.Minute}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	if response.StatusCode >= 400 {
		log.Fatalf("%s: %s", response.Status, body)
	}
	fmt.Printf("%s\\n", body)
}`;
}

function writeSdk(statements: string, hasKey: boolean): string {
  if (!hasKey) return statements;
  return [
    "import { Tradepost } from '@tradepost/sdk';",
    '',
    'const tradepost = new Tradepost({',
    "  baseUrl: process.env.TRADEPOST_BASE_URL ?? '',",
    "  apiKey: process.env.TRADEPOST_API_KEY ?? '',",
    '});',
    '',
    statements,
  ].join('\n');
}

const { order, listing, notification, webhook, delivery, event } = exampleIds;

/** How the SDK and the CLI do an operation, by operation ID. */
const ownTools: Record<string, { sdk: string; cli: string }> = {
  listOrders: {
    sdk: [
      "for await (const order of tradepost.orders.list({ status: 'pending', limit: 20 })) {",
      '  console.log(order.id, order.quantity);',
      '}',
    ].join('\n'),
    cli: 'tradepost orders list --status pending --limit 20',
  },
  createOrder: {
    sdk: `const order = await tradepost.orders.create({ listingId: '${listing}', quantity: 25 });\nconsole.log(order.id, order.status);`,
    cli: `tradepost orders create --listing ${listing} --quantity 25`,
  },
  getOrder: {
    sdk: `const order = await tradepost.orders.get('${order}');\nconsole.log(order.status);`,
    cli: `tradepost orders get ${order}`,
  },
  updateOrder: {
    sdk: `const order = await tradepost.orders.update('${order}', { status: 'fulfilling' });\nconsole.log(order.status);`,
    cli: `tradepost orders set-status ${order} fulfilling`,
  },
  getOrderTimeline: {
    sdk: [
      `const { entries } = await tradepost.orders.timeline('${order}');`,
      'for (const { event, change, deliveries } of entries) {',
      '  console.log(event.type, change?.to ?? null, deliveries.map(({ state }) => state));',
      '}',
    ].join('\n'),
    cli: `tradepost orders timeline ${order}`,
  },
  listNotifications: {
    sdk: [
      'for await (const notification of tradepost.notifications.list({ read: false })) {',
      '  console.log(notification.message);',
      '}',
    ].join('\n'),
    cli: 'tradepost notifications list --unread',
  },
  markNotificationRead: {
    sdk: `const notification = await tradepost.notifications.markRead('${notification}');\nconsole.log(notification.read);`,
    cli: `tradepost notifications read ${notification}`,
  },
  markNotificationsRead: {
    sdk: [
      "const { marked, hasMore } = await tradepost.notifications.markAllRead({ before: '2026-11-21T09:30:00Z' });",
      "console.log(marked, hasMore ? 'there are more' : 'that was all');",
    ].join('\n'),
    cli: 'tradepost notifications read --until 2026-11-21T09:30:00Z --yes',
  },
  createWebhook: {
    sdk: [
      'const webhook = await tradepost.webhooks.create({',
      "  url: 'https://receiver.example/tradepost',",
      "  events: ['order.created', 'order.status_changed'],",
      '});',
      'console.log(webhook.id); // store webhook.secret: no other response contains it',
    ].join('\n'),
    cli: 'tradepost webhooks register --url https://receiver.example/tradepost --events order.created,order.status_changed --secret-file webhook.secret',
  },
  listWebhooks: {
    sdk: [
      "for await (const webhook of tradepost.webhooks.list({ expand: 'stats' })) {",
      '  console.log(webhook.id, webhook.pendingDeliveries, webhook.stats.failed);',
      '}',
    ].join('\n'),
    cli: 'tradepost webhooks list',
  },
  getWebhook: {
    sdk: `const webhook = await tradepost.webhooks.get('${webhook}');\nconsole.log(webhook.status, webhook.consecutiveFailures);`,
    cli: `tradepost webhooks get ${webhook}`,
  },
  getWebhookStats: {
    sdk: `const stats = await tradepost.webhooks.stats('${webhook}', { window: '1h' });\nconsole.log(stats.totals.failed, stats.totals.latencyMs?.p95);`,
    cli: `tradepost webhooks stats ${webhook} --window 1h`,
  },
  updateWebhook: {
    sdk: `const webhook = await tradepost.webhooks.update('${webhook}', { status: 'paused' });\nconsole.log(webhook.status);`,
    cli: `tradepost webhooks pause ${webhook}`,
  },
  deleteWebhook: {
    sdk: `await tradepost.webhooks.delete('${webhook}');`,
    cli: `tradepost webhooks delete ${webhook} --yes`,
  },
  stageWebhookSecret: {
    sdk: `const staged = await tradepost.webhooks.stageSecret('${webhook}');\nconsole.log(staged.stagedAt); // store staged.secret: no other response contains it`,
    cli: `tradepost webhooks rotate-secret ${webhook} --secret-file next.secret`,
  },
  promoteWebhookSecret: {
    sdk: `const webhook = await tradepost.webhooks.promoteSecret('${webhook}');\nconsole.log(webhook.stagedSecretAt); // null`,
    cli: `tradepost webhooks rotate-secret ${webhook} --promote --yes`,
  },
  sendTestEvent: {
    sdk: `const delivery = await tradepost.webhooks.test('${webhook}', { event: 'order.status_changed' });\nconsole.log(delivery.id);`,
    cli: `tradepost webhooks test ${webhook} --event order.status_changed`,
  },
  replayDeliveries: {
    sdk: `const result = await tradepost.webhooks.replayDeliveries('${webhook}', {
  state: 'failed',
  since: '2026-11-21T00:00:00Z',
});
console.log(result.replayed, result.nextCursor);`,
    cli: `tradepost webhooks replay --webhook ${webhook} --failed --since 2026-11-21 --yes`,
  },
  listDeliveries: {
    sdk: [
      'const deliveries = tradepost.deliveries.list({',
      `  webhookId: '${webhook}',`,
      "  state: 'delivered',",
      '});',
      'for await (const delivery of deliveries) {',
      '  console.log(delivery.id, delivery.event, delivery.lastStatus);',
      '}',
    ].join('\n'),
    cli: `tradepost webhooks deliveries --webhook ${webhook} --state delivered`,
  },
  getDelivery: {
    sdk: `const delivery = await tradepost.deliveries.get('${delivery}');\nconsole.log(delivery.state, delivery.attempts);`,
    cli: `tradepost webhooks explain ${delivery}`,
  },
  replayDelivery: {
    sdk: `const delivery = await tradepost.deliveries.replay('${delivery}');\nconsole.log(delivery.state);`,
    cli: `tradepost webhooks replay ${delivery}`,
  },
  listEvents: {
    sdk: [
      "for await (const event of tradepost.events.list({ since: '2026-11-21T00:00:00Z' })) {",
      '  console.log(event.id, event.event);',
      '}',
    ].join('\n'),
    cli: 'tradepost events list --since 2026-11-21',
  },
  getEvent: {
    sdk: `const event = await tradepost.events.get('${event}');\nconsole.log(event.event, event.data);`,
    cli: `tradepost events get ${event}`,
  },
  listPartners: {
    sdk: [
      "for await (const partner of tradepost.partners.list({ name: 'cafe' })) {",
      '  console.log(partner.id, partner.kind, partner.name);',
      '}',
    ].join('\n'),
    cli: 'tradepost api GET /v1/partners --query name=cafe',
  },
  getAccount: {
    sdk: 'const account = await tradepost.account.get();\nconsole.log(account.kind, account.name);',
    cli: 'tradepost whoami',
  },
  getSummary: {
    sdk: 'const summary = await tradepost.summary.get();\nconsole.log(summary.orders.pending.count, summary.unread.count);',
    cli: 'tradepost summary',
  },
  listKeys: {
    sdk: [
      'for await (const key of tradepost.keys.list()) {',
      '  console.log(key.id, key.name, key.lastUsedAt);',
      '}',
    ].join('\n'),
    cli: 'tradepost keys list',
  },
  createKey: {
    sdk: [
      'const { id, key } = await tradepost.keys.create({',
      "  name: 'warehouse-export',",
      '  readOnly: true,',
      '  expiresIn: 7_776_000,',
      '});',
      'console.log(id, key);',
    ].join('\n'),
    cli: 'tradepost keys create --name warehouse-export --read-only --expires 90d',
  },
  revokeKey: {
    sdk: `await tradepost.keys.revoke('${exampleIds.createdKey}');`,
    cli: `tradepost keys revoke ${exampleIds.createdKey} --yes`,
  },
  createSignInCode: {
    sdk: 'const { code, expiresAt } = await tradepost.signIn.createCode();\nconsole.log(code, expiresAt);',
    cli: 'tradepost open --print',
  },
  createSession: {
    sdk: [
      "import { createSession } from '@tradepost/sdk';",
      '',
      `const { key, account } = await createSession('${signInCode}', {`,
      "  baseUrl: process.env.TRADEPOST_BASE_URL ?? '',",
      '});',
      'console.log(key, account.name);',
    ].join('\n'),
    cli: `tradepost api POST /v1/sessions --field code=${signInCode}`,
  },
};

/** The ID of a path, by the first part of the path after the version. */
const pathIds = new Map<string, string>([
  ['orders', order],
  ['notifications', notification],
  ['webhooks', webhook],
  ['deliveries', delivery],
  ['events', event],
  ['keys', exampleIds.createdKey],
]);

function exampleTarget(path: string, query: object = {}): string {
  const [, , noun = ''] = path.split('/');
  const parameters = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  const filled = path.replace(':id', pathIds.get(noun) ?? '{id}');
  return parameters === '' ? filled : `${filled}?${parameters}`;
}

/** Writes the samples of an operation. Operations without an example have none. */
export function buildCodeSamples({ name, route, metadata }: ListedRoute): CodeSample[] {
  const example = operationExamples[metadata.operationId];
  const own = ownTools[metadata.operationId];
  if (example === undefined || own === undefined) return [];
  const request: SampleRequest = {
    method: route.method,
    target: exampleTarget(route.path, example.query),
    body: example.request,
    isIdempotent: schemaFields(route.headers ?? {}, name).some(
      ([header]) => header === 'idempotency-key',
    ),
    hasKey: metadata.keys !== 'none',
  };
  return [
    { lang: 'Shell', label: 'curl', source: writeCurl(request) },
    { lang: 'TypeScript', label: 'TypeScript (SDK)', source: writeSdk(own.sdk, request.hasKey) },
    { lang: 'Shell', label: 'CLI', source: own.cli },
    { lang: 'Python', label: 'Python', source: writePython(request) },
    { lang: 'Go', label: 'Go', source: writeGo(request) },
  ];
}
