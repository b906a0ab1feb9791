import process from 'node:process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Tradepost } from '@tradepost/sdk';
import { expect, it, onTestFinished } from 'vitest';
import { cleanEnvironment } from '../../helpers/clean-environment';
import { forTest } from '../../helpers/for-test';
import { placeOrders } from '../../helpers/place-orders';
import { tradepostBin } from '../../helpers/programs';
import { registerWebhook } from '../../helpers/register-webhook';
import { startCli } from '../../helpers/run-cli';
import { startOnTerminal } from '../../helpers/start-on-terminal';
import { startSeededServer } from '../../helpers/start-seeded-server';

/** What a tool returned. */
interface ToolResult {
  isError: boolean;
  text: string;
  data: Record<string, unknown>;
}

/** Starts `tradepost mcp` as an assistant does, for the seller of a service with demo data. */
async function startAssistant(args: readonly string[] = []) {
  const seeded = await forTest(startSeededServer());
  const env = seeded.createEnvironment(seeded.seller);
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [tradepostBin, 'mcp', ...args],
    env: cleanEnvironment(env) as Record<string, string>,
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    seeded,
    client,
    seller: new Tradepost({ baseUrl: seeded.server.url, apiKey: seeded.seller.apiKey }),
    async call(name: string, input: Record<string, unknown> = {}): Promise<ToolResult> {
      const { isError, content, structuredContent } = await client.callTool({
        name,
        arguments: input,
      });
      const [first] = content as { text: string }[];
      return {
        isError: isError === true,
        text: first?.text ?? '',
        data: (structuredContent ?? {}) as Record<string, unknown>,
      };
    },
  };
}

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
  'set_order_status',
];

it('mcp offers tools that only read, and others with --allow-writes', async () => {
  const { client, call } = await startAssistant();
  const { tools } = await client.listTools();
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
  expect(client.getInstructions()).toContain('All tools only read.');
  expect(await call('set_order_status', { id: 'ord_1', from: 'pending', to: 'confirmed' })).toEqual(
    expect.objectContaining({ isError: true, text: expect.stringContaining('not found') }),
  );

  const writing = await startAssistant(['--allow-writes']);
  const all = (await writing.client.listTools()).tools;
  const added = all.filter(({ annotations }) => annotations?.readOnlyHint === false);
  expect(added.map(({ name }) => name).sort()).toEqual(writeTools);
  expect(all).toHaveLength(tools.length + added.length);
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
      { buyerId: seeded.stranger.id, sort: '-updatedAt', names: true },
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
    ['list_events', { orderId: order?.id }, ({ data }) => isHistoryOf(data, order?.id)],
    ['list_notifications', { unread: true }, ({ data }) => (data as unknown[]).length > 0],
    ['list_events', { limit: 2 }, ({ data }) => (data as unknown[]).length === 2],
    ['list_webhooks', {}, ({ data }) => (data as { id: string }[])[0]?.id === id],
    ['get_webhook', { id }, (webhook) => webhook.url === 'http://127.0.0.1:1/hooks'],
    ['list_deliveries', { webhookId: id }, ({ data }) => (data as unknown[]).length === 1],
    ['get_delivery', { id: delivery.id }, (found) => found.webhookId === id],
  ];
  for (const [tool, input, isExpected] of reads) {
    const { isError, text, data } = await call(tool, input);
    expect({ tool, isError, isExpected: isExpected(data) }, text).toEqual({
      tool,
      isError: false,
      isExpected: true,
    });
    expect(JSON.parse(text)).toEqual(data);
    expect(text).not.toContain(secret);
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
  expect(read.data).toMatchObject({ before: 'unread', after: 'read', changed: true });

  const { id: delivery } = await seller.webhooks.test(id, { event: 'order.created' });
  const early = await call('replay_delivery', { id: delivery, from: 'delivered' });
  expect(early).toMatchObject({ isError: true, text: expect.stringMatching(/Nothing changed$/) });
});

it('an invalid argument and an unknown ID are results that say what to do', async () => {
  const { call } = await startAssistant();
  const invalid = await call('list_orders', { status: 'shipped' });
  expect(invalid).toMatchObject({
    isError: true,
    text: expect.stringContaining('Use one of pending, confirmed, '),
  });
  const mistyped = await call('list_orders', { customerId: 'usr_1' });
  expect(mistyped).toMatchObject({
    isError: true,
    text: expect.stringMatching(/Unrecognized key: \\?"customerId\\?"/),
  });
  const unknown = await call('get_order', { id: 'ord_unknown' });
  expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining('Request ID: ') });
});

it('mcp ends when its stdin ends, and writes only messages to stdout', async () => {
  const seeded = await forTest(startSeededServer());
  const env = seeded.createEnvironment(seeded.seller);
  const request = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const input = `not JSON\n${JSON.stringify(request)}\n`;
  const mcp = startCli(['mcp'], env, input);
  const { code, stdout, stderr } = await mcp.exit;
  expect(code).toBe(0);
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  expect(stderr).toMatch(/^Ignored a message: /);
});

it('mcp says on a terminal that a program has to start it', async () => {
  const env = { TRADEPOST_BASE_URL: 'http://127.0.0.1:1', TRADEPOST_API_KEY: 'tpk_x' };
  const { code, text } = await startOnTerminal(['mcp'], { env }).exit;
  expect(code).toBe(2);
  expect(text.replaceAll(/\s+/g, ' ')).toContain(
    'is started by a program that speaks the Model Context Protocol',
  );
});
