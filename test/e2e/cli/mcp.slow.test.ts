import { Tradepost } from '@tradepost/sdk';
import { expect, it } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { startHttpServer } from '../../helpers/loopback';
import { placeOrders } from '../../helpers/place-orders';
import { registerWebhook } from '../../helpers/register-webhook';
import { startCli } from '../../helpers/run-cli';
import { startOnTerminal } from '../../helpers/start-on-terminal';
import { startSeededServer } from '../../helpers/start-seeded-server';
import { startAssistant } from './helpers/start-assistant';

/** Whether a page of events is the history of an order. */
function isHistoryOf(data: unknown, orderId: string | undefined): boolean {
  const events = data as { data: { orderId: string } }[];
  return events.length > 0 && events.every((event) => event.data.orderId === orderId);
}

const writeTools = [
  'mark_notification_read',
  'pause_webhook',
  'replay_delivery',
  'resume_webhook',
  'run_replay',
  'set_order_status',
];

it('mcp offers tools that only read, and others with --allow-writes', async () => {
  const { client, call } = await startAssistant();
  const { tools } = await client.listTools();
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
  expect(client.getInstructions()).toContain('All tools only read.');
  await expect(
    call('set_order_status', { id: 'ord_1', from: 'pending', to: 'confirmed' }),
  ).rejects.toThrow('Unknown tool set_order_status. There are: whoami, list_orders, ');
  // It offers the same from start to end.
  expect(client.getServerCapabilities()).toEqual({ tools: {}, prompts: {}, resources: {} });

  const writing = await startAssistant(['--allow-writes']);
  const all = (await writing.client.listTools()).tools;
  const added = all.filter(({ annotations }) => annotations?.readOnlyHint === false);
  expect(added.map(({ name }) => name).sort()).toEqual(writeTools);
  // Its plan of a replay only reads.
  expect(all).toHaveLength(tools.length + 1 + added.length);
  const withHint = (hint: 'openWorldHint' | 'destructiveHint') =>
    all.filter(({ annotations }) => annotations?.[hint]).map(({ name }) => name);
  expect(withHint('openWorldHint').sort()).toEqual([
    'replay_delivery',
    'resume_webhook',
    'run_replay',
    'set_order_status',
  ]);
  expect(withHint('destructiveHint').sort()).toEqual(['pause_webhook', 'set_order_status']);
  for (const { outputSchema } of all) expect(outputSchema).toMatchObject({ type: 'object' });
});

it('mcp offers only the tools of --tools, and names no others in its advice', async () => {
  const { client, call } = await startAssistant(['--tools', 'get_order,whoami']);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['whoami', 'get_order']);
  expect((await call('get_order', { id: 'ord_unknown' })).text).not.toContain('list_orders');
  const env = { TRADEPOST_BASE_URL: 'http://127.0.0.1:1', TRADEPOST_API_KEY: 'tpk_x' };
  const { code, stderr } = await startCli(['mcp', '--tools', 'run_replay'], env, '').exit;
  expect(code).toBe(2);
  expect(stderr).toContain("There is no tool 'run_replay'");
});

it('the tools of mcp read orders, notifications, events, webhooks and deliveries', async () => {
  const { seller, seeded, call } = await startAssistant();
  const { id, secret } = await registerWebhook(seller, {
    url: 'http://127.0.0.1:1/hooks',
    events: ['order.created'],
  });
  const delivery = await seller.webhooks.test(id, { event: 'order.created' });
  const [order] = (await seller.orders.list({ status: 'pending' })).data;
  const reads: [string, Record<string, unknown>, (data: Record<string, unknown>) => unknown][] = [
    ['whoami', {}, ({ account }) => (account as { id: string }).id === seeded.seller.id],
    [
      'list_orders',
      { status: 'pending', limit: 1 },
      ({ data }) => (data as unknown[]).length === 1,
    ],
    [
      'get_order',
      { id: order?.id },
      (found) => found.status === 'pending' && !('buyerName' in found),
    ],
    [
      'get_order',
      { id: order?.id, names: true },
      ({ sellerName }) => sellerName === seeded.seller.name,
    ],
    [
      'list_orders',
      { buyer: seeded.stranger.id, sort: '-updatedAt', names: true },
      ({ data }) => (data as unknown[]).length === 0,
    ],
    [
      'list_orders',
      { status: ['pending', 'confirmed'] },
      ({ data }) => (data as { id: string }[]).some((one) => one.id === order?.id),
    ],
    [
      'list_orders',
      { status: ['completed'] },
      ({ data }) => (data as { status: string }[]).every(({ status }) => status === 'completed'),
    ],
    [
      'get_order_timeline',
      { id: order?.id },
      ({ entries }) => (entries as { change: object | null }[])[0]?.change != null,
    ],
    ['get_summary', {}, ({ orders }) => (orders as { pending: object }).pending !== undefined],
    ['list_events', { orderId: order?.id }, ({ data }) => isHistoryOf(data, order?.id)],
    ['list_notifications', { unread: true }, ({ data }) => (data as unknown[]).length > 0],
    ['list_events', { limit: 2 }, ({ data }) => (data as unknown[]).length === 2],
    ['list_webhooks', {}, ({ data }) => (data as { id: string }[])[0]?.id === id],
    ['get_webhook', { id }, (webhook) => webhook.url === 'http://127.0.0.1:1/hooks'],
    ['get_webhook_stats', { id }, (stats) => stats.webhookId === id && 'totals' in stats],
    ['list_deliveries', { webhookId: id }, ({ data }) => (data as unknown[]).length === 1],
    ['get_delivery', { id: delivery.id }, (found) => found.webhookId === id],
    [
      'list_orders',
      { limit: 1, sort: 'createdAt' },
      ({ data, nextCursor }) => (data as unknown[]).length === 1 && nextCursor !== null,
    ],
  ];
  for (const [tool, input, isExpected] of reads) {
    const { isError, text, data } = await call(tool, input);
    expect({ tool, isError, isExpected: isExpected(data) }, text).toEqual({
      tool,
      isError: false,
      isExpected: true,
    });
    expect(text).not.toContain(secret);
    // Each value is in both, and the text is not the same JSON again.
    const rows = Array.isArray(data.data) ? data.data : [data];
    for (const value of Object.values(rows[0] ?? {})) {
      if (typeof value === 'string') expect(text).toContain(value);
    }
    expect(text.length).toBeLessThan(JSON.stringify(data).length);
  }
});

it('set_order_status changes an order only from the status that it names', async () => {
  const { seeded, seller, call } = await startAssistant(['--allow-writes']);
  const [id = ''] = await placeOrders(seeded, 1);
  const wrong = await call('set_order_status', { id, from: 'confirmed', to: 'fulfilling' });
  expect(wrong).toMatchObject({
    isError: true,
    text: `The order ${id} is pending, not confirmed. Nothing changed`,
  });
  const reason = 'The buyer has paid.';
  const right = await call('set_order_status', { id, from: 'pending', to: 'confirmed', reason });
  expect(right.data).toEqual({ id, before: 'pending', after: 'confirmed', changed: true });
  const again = await call('set_order_status', { id, from: 'pending', to: 'confirmed' });
  expect(again.data).toEqual({ id, before: 'confirmed', after: 'confirmed', changed: false });
  const impossible = await call('set_order_status', { id, from: 'confirmed', to: 'completed' });
  expect(impossible.isError).toBe(true);
  expect(impossible.text).toContain('from confirmed it can change to fulfilling or cancelled');
  expect((await seller.orders.get(id)).status).toBe('confirmed');
  expect((await seller.events.list({ orderId: id })).data.at(-1)?.data).toMatchObject({ reason });
});

it('the other tools that change something return the state before and after', async () => {
  const { seller, call } = await startAssistant(['--allow-writes']);
  const { id } = await registerWebhook(seller, {
    url: 'http://127.0.0.1:1/hooks',
    events: ['order.created'],
  });
  expect((await call('pause_webhook', { id })).data).toEqual({
    id,
    before: 'active',
    after: 'paused',
    changed: true,
  });
  expect((await call('pause_webhook', { id })).data).toMatchObject({ changed: false });
  expect((await call('resume_webhook', { id })).data).toMatchObject({
    before: 'paused',
    after: 'active',
  });

  const [notification] = (await seller.notifications.list({ read: false, limit: 1 })).data;
  const read = await call('mark_notification_read', { id: notification?.id });
  // The API does not say whether this call made the change.
  expect(read.data).toEqual({ id: notification?.id, read: true });

  const { id: delivery } = await seller.webhooks.test(id, { event: 'order.created' });
  const early = await call('replay_delivery', { id: delivery, from: 'delivered' });
  expect(early).toMatchObject({ isError: true, text: expect.stringMatching(/Nothing changed$/) });
});

it('an invalid argument and an unknown ID are results that say what to do', async () => {
  const { call } = await startAssistant();
  const invalid = await call('list_orders', { status: 'shipped', limit: 0 });
  expect(invalid).toMatchObject({
    isError: true,
    text: expect.stringMatching(
      /^Invalid arguments of list_orders: status: Use one of pending, .*; limit: .*\. Its arguments: status, buyer, /,
    ),
  });
  const mistyped = await call('list_orders', { customerId: 'usr_1' });
  expect(mistyped.text).toContain('Unrecognized key: "customerId".');
  const unknown = await call('get_order', { id: 'ord_unknown' });
  expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining('Request ID: ') });
  expect(unknown.text).toContain('To list the orders that this key can see, call list_orders.');
});

it('advises no commands, options or settings, whatever the service responds', async () => {
  const codes = [
    ...['invalid_api_key', 'account_kind_not_allowed', 'read_only_api_key', 'route_not_found'],
    ...['order_not_found', 'webhook_not_found', 'delivery_not_found', 'event_not_found'],
    ...['webhook_paused', 'no_staged_secret', 'delivery_in_progress', 'invalid_cursor'],
    ...['cursor_expired', 'webhook_limit_reached', 'invalid_transition', 'rate_limited'],
    ...['overloaded', 'internal_error', 'precondition_failed', 'validation_failed', 'none'],
  ];
  const statuses: Record<string, number> = {
    invalid_api_key: 401,
    route_not_found: 404,
    rate_limited: 429,
    overloaded: 503,
    internal_error: 500,
  };
  const service = await startHttpServer((request, response) => {
    const code = request.url?.split('dlv_')[1] ?? '';
    const status = statuses[code] ?? 409;
    const body = { title: 'Title', status, detail: 'Detail.', code };
    response.writeHead(status, { 'content-type': 'application/problem+json', 'retry-after': '0' });
    response.end(code === 'none' ? 'a page' : JSON.stringify(body));
  });
  const env = { TRADEPOST_BASE_URL: service.url, TRADEPOST_API_KEY: 'tpk_x' };
  const lines = codes.map((code, id) => {
    const params = { name: 'get_delivery', arguments: { id: `dlv_${code}` } };
    return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
  });
  const { stdout } = await startCli(['mcp'], env, lines.join('\n')).exit;
  const responses = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(responses).toHaveLength(codes.length);
  const texts: string[] = [];
  for (const { id, result } of responses) texts[id] = result.content[0].text;
  await service.close();
  for (const text of texts) expect(text).not.toMatch(/--[a-z]|`|TRADEPOST_|tradepost /);
  expect(texts[codes.indexOf('delivery_not_found')]).toContain('call list_deliveries.');
  expect(texts[codes.indexOf('invalid_cursor')]).toContain('Call the tool again without cursor.');
});

/** Sends lines to `tradepost mcp`, ends its input at once, and returns the lines that it writes. */
async function converse(
  seeded: Awaited<ReturnType<typeof startSeededServer>>,
  ...lines: readonly (string | object)[]
) {
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  const env = seeded.createEnvironment(seeded.seller);
  const { code, stdout, stderr } = await startCli(
    ['mcp', '--allow-writes'],
    env,
    // The last line has no end.
    texts.join('\n'),
  ).exit;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' });
const pong = (id: unknown) => ({ jsonrpc: '2.0', id, result: {} });
const initialize = (protocolVersion: string) => ({
  ...{ jsonrpc: '2.0', id: 'init', method: 'initialize' },
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

it('mcp responds to all that it has received before the end of its input, then exits', async () => {
  const seeded = await forTest(startSeededServer());
  const [first = '', second = ''] = await placeOrders(seeded, 2);
  const setStatus = (id: string) => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name: 'set_order_status', arguments: { id, from: 'pending', to: 'confirmed' } },
  });
  const responses = await converse(seeded, setStatus(first), setStatus(second));
  expect(responses.map(({ id }) => id).toSorted()).toEqual([first, second].toSorted());
  for (const { result } of responses) {
    expect(result.structuredContent).toMatchObject({ after: 'confirmed', changed: true });
  }
  const { orders } = new Tradepost({ baseUrl: seeded.server.url, apiKey: seeded.seller.apiKey });
  expect((await orders.get(first)).status).toBe('confirmed');
});

it.each([
  ['2025-06-18', '2025-06-18'],
  ['2024-11-05', '2024-11-05'],
  // That one has batches.
  ['2025-03-26', '2024-11-05'],
])('mcp speaks a version without batches: asked for %s it speaks %s', async (asked, spoken) => {
  const seeded = await forTest(startSeededServer());
  const batch = [ping(1), ping('two')];
  const responses = await converse(seeded, initialize(asked), batch, ping(4));
  const of = (id: unknown) => responses.find((response) => response.id === id);
  expect(responses).toHaveLength(3);
  expect(of('init').result.protocolVersion).toBe(spoken);
  expect(of(null).error).toMatchObject({
    code: -32600,
    message: expect.stringMatching('no batches'),
  });
  expect(of(4)).toEqual(pong(4));
});

it('mcp responds to what is not a request with one line that says what is wrong', async () => {
  const seeded = await forTest(startSeededServer());
  const responses = await converse(
    seeded,
    'not JSON',
    '{"jsonrpc":"2.0","id":7}',
    '  ',
    { jsonrpc: '2.0', id: 8, method: 'tools/call', params: { name: 5 } },
    { jsonrpc: '2.0', id: 9, method: 'tools/fly' },
    { jsonrpc: '2.0', id: 10, method: 'prompts/get', params: { name: 'none' } },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'none' } },
  );
  const errors = responses.map(({ id, error }) => [id, error.code, error.message]);
  expect(errors.toSorted(([one], [other]) => Number(one) - Number(other))).toEqual([
    [null, -32700, 'Parse error: the line is not JSON'],
    [7, -32600, 'Invalid request: it is not a message of JSON-RPC 2.0'],
    [8, -32602, expect.stringMatching(/^Invalid params: params\.name: Invalid input: [^\n[]*$/)],
    [9, -32601, 'Method not found'],
    [10, -32602, 'There is no prompt none'],
  ]);
});

it('mcp does not wait for a request that was cancelled', async () => {
  const hung = await startHttpServer(() => {});
  const call = {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name: 'whoami', arguments: {} },
  };
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  const env = { TRADEPOST_BASE_URL: hung.url, TRADEPOST_API_KEY: 'tpk_x' };
  const lines = [call, cancel, ping(2)].map((line) => JSON.stringify(line)).join('\n');
  const { code, stdout } = await startCli(['mcp'], env, lines).exit;
  expect({ code, responses: JSON.parse(stdout) }).toEqual({ code: 0, responses: pong(2) });
  await hung.close();
});

it('mcp has resources and prompts that use its tools', async () => {
  const { seller, client } = await startAssistant();
  const [order] = (await seller.orders.list()).data;
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(
    'tradepost://orders/{id}',
  );
  const { contents } = await client.readResource({ uri: `tradepost://orders/${order?.id}` });
  expect(contents).toMatchObject([{ text: expect.stringContaining(`status: ${order?.status}`) }]);
  await expect(client.readResource({ uri: 'tradepost://orders/ord_none' })).rejects.toThrow(
    'Order not found',
  );
  const { prompts } = await client.listPrompts();
  const tools = (await client.listTools()).tools.map(({ name }) => name);
  for (const { name, arguments: [argument] = [] } of prompts) {
    const { messages } = await client.getPrompt({
      name,
      arguments: { [argument?.name ?? '']: 'the_id' },
    });
    const [text = ''] = messages.map(({ content }) => ('text' in content ? content.text : ''));
    expect(text).toContain('the_id');
    const named = text.match(/\b(get|list|explain)_\w+/g) ?? [];
    expect(named.length).toBeGreaterThan(2);
    for (const tool of named) expect(tools).toContain(tool);
  }
});

it('mcp says on a terminal that a program has to start it', async () => {
  const env = { TRADEPOST_BASE_URL: 'http://127.0.0.1:1', TRADEPOST_API_KEY: 'tpk_x' };
  const { code, text } = await startOnTerminal(['mcp'], { env }).exit;
  expect(code).toBe(2);
  expect(text.replaceAll(/\s+/g, ' ')).toContain(
    'is started by a program that speaks the Model Context Protocol',
  );
});
