import { writeFile } from 'node:fs/promises';
import { Tradepost } from '@tradepost/sdk';
import type { BrowserContext, Page } from 'playwright-core';
import { chromiumPath } from '../helpers/chromium';
import { openBrowser } from '../helpers/open-browser';
import type { BenchContext } from './bench-context';
import type { BenchEnvironment } from './bench-environment';
import { startBenchProcess } from './bench-process';
import type { ConsoleOperations } from './console-process';
import { createDatabases } from './database';
import { createFigure, type Figure } from './figure';
import type { FloodOperations } from './flood-process';
import { machineTime } from './loops';
import { quantile } from './quantiles';
import { formatCount } from './report';
import { interleave } from './rounds';
import { startTradepostServer } from './tradepost-server';
import { createOrderRequest, type TradingAccounts } from './trading-accounts';

const sizes = {
  usual: {
    orders: 1_000_000,
    openings: 11,
    creations: 21,
    consoles: 10,
    rounds: 3,
    perSecond: 40,
    seconds: 20,
  },
  quick: {
    orders: 1_000,
    openings: 1,
    creations: 1,
    consoles: 2,
    rounds: 1,
    perSecond: 20,
    seconds: 0.3,
  },
};

/** How long a page may take to open, in milliseconds: a guard, no promise. */
const timeoutMs = 120_000;
const firstRow = 'main a[href*="/orders/ord_"]';
const listPath = '/v1/orders?limit=100';

/** Opens a window that shares nothing with others, as another person has. */
async function openWindow(context: BrowserContext): Promise<BrowserContext> {
  const browser = context.browser();
  if (browser === null) throw new Error('The browser has no windows of its own.');
  const window = await browser.newContext();
  window.setDefaultTimeout(timeoutMs);
  return window;
}

/**
 * Starts a browser that gets a third of the processor time that a program of the bench gets: people have machines of their own, and ten
 * pages that draw would otherwise be what is measured on this one. With less, it would open no page on a busy machine.
 */
async function openModestBrowser(environment: BenchEnvironment) {
  const program = environment.newFile('modest-browser');
  // Linux shares time between sessions first, each of which has a priority too.
  const yieldTime = 'echo 5 2> /dev/null > /proc/$$/autogroup';
  const text = `#!/bin/sh\n${yieldTime}\nexec nice -n 5 '${chromiumPath}' "$@"\n`;
  await writeFile(program, text, { mode: 0o700 });
  return await openBrowser(program);
}

/** Signs in as a person does. */
async function signIn(context: BrowserContext, url: string, apiKey: string): Promise<Page> {
  const { code } = await new Tradepost({ baseUrl: url, apiKey }).signIn.createCode();
  const page = await context.newPage();
  await page.goto(`${url}/console/sign-in#${code}`);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  return page;
}

/** Opens the list of orders without any cache. Returns how long it takes until the first row is drawn, in milliseconds. */
async function openOrders(page: Page, url: string): Promise<number> {
  const startedAt = machineTime();
  await page.goto(`${url}/console/orders`, { waitUntil: 'commit' });
  await page.locator(firstRow).first().waitFor();
  return machineTime() - startedAt;
}

/**
 * Creates an order. Returns how long it takes, from before the request, until a page that lists the seller's orders has drawn its row, in
 * milliseconds.
 */
async function showCreated(page: Page, url: string, trade: TradingAccounts): Promise<number> {
  const buyer = new Tradepost({ baseUrl: url, apiKey: trade.buyer.apiKey });
  const startedAt = machineTime();
  const { id } = await buyer.orders.create({ listingId: trade.listingId, quantity: 1 });
  await page.locator(`main a[href$="/orders/${id}"]`).waitFor();
  return machineTime() - startedAt;
}

/** Returns the path that a page requests for its list of orders. */
async function findListPath(page: Page, url: string): Promise<string> {
  const isList = (request: string) => new URL(request).pathname === '/v1/orders';
  const requested = page.waitForRequest((request) => isList(request.url()));
  await openOrders(page, url);
  return (await requested).url().slice(url.length);
}

/** Requests what the list of orders requests, and reads it. Returns how long it takes, in milliseconds. */
async function listOrders(url: string, apiKey: string): Promise<number> {
  const startedAt = machineTime();
  const headers = { Authorization: `Bearer ${apiKey}` };
  const response = await fetch(url + listPath, { headers });
  if (!response.ok) throw new Error(`The list of orders is a ${response.status}.`);
  await response.arrayBuffer();
  return machineTime() - startedAt;
}

/** Requests of a client that mostly reads. Each new order is an event that consoles follow. */
function steadyRequests(trade: TradingAccounts): [string, ...string[]] {
  const list = `GET ${listPath} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${trade.buyer.apiKey}\r\n\r\n`;
  return [list, ...Array.from({ length: 38 }, () => list), createOrderRequest(trade)];
}

/**
 * Measures how soon the console shows orders of an account with very many, against the bare request that it needs for that; how soon a
 * new order is in a list that is open; and how long a client of the API waits while ten people have a console open that follows their
 * orders, against the same client without them. Their browsers run on the machine of the service here, which they do not elsewhere:
 * a program that sends what they send shows what the service itself costs.
 */
export async function openConsole(context: BenchContext): Promise<Figure[]> {
  const { environment, quick, log } = context;
  const size = quick ? sizes.quick : sizes.usual;
  const { orders, consoles, perSecond, seconds } = size;
  const { many } = await createDatabases(environment, {
    many: [{ urls: [], backlog: 0, orders: 0, filledOrders: orders, filledStatuses: 'by age' }],
  });
  const [trade] = many.trades;
  const { apiKey } = trade.seller;
  const server = await startTradepostServer(environment, many.file);
  const { url } = server;
  const client = startBenchProcess<FloodOperations>(
    environment,
    new URL('./flood-process.ts', import.meta.url),
  );
  const senders = startBenchProcess<ConsoleOperations>(
    environment,
    new URL('./console-process.ts', import.meta.url),
  );
  const browser = await openBrowser();
  browser.context.setDefaultTimeout(timeoutMs);
  const modest = await openModestBrowser(environment);
  try {
    const page = await signIn(browser.context, url, apiKey);
    const devTools = await browser.context.newCDPSession(page);
    await devTools.send('Network.setCacheDisabled', { cacheDisabled: true });
    const openings = await interleave(
      size.openings,
      { opened: () => openOrders(page, url), bare: () => listOrders(url, apiKey) },
      log,
      'openings',
    );
    const created: number[] = [];
    for (let count = 0; count < size.creations; count += 1) {
      created.push(await showCreated(page, url, trade));
    }
    const path = await findListPath(page, url);
    await browser.close();

    const target = { url, requests: steadyRequests(trade), connections: 4 };
    const measure = () => client.call('flood', { ...target, perSecond, seconds });
    const besideSenders = async () => {
      const sent = senders.call('follow', { url, apiKey, path, consoles, seconds: seconds + 1 });
      const result = await measure();
      log(`the program read the list ${((await sent) / seconds).toFixed(1)} times a second`);
      return result;
    };
    const beside = async () => {
      const windows: BrowserContext[] = [];
      for (let count = 0; count < consoles; count += 1) {
        const window = await openWindow(modest.context);
        windows.push(window);
        await openOrders(await signIn(window, url, apiKey), url);
      }
      let sent = 0;
      for (const window of windows) window.on('request', () => (sent += 1));
      const result = await measure();
      log(`the consoles sent ${(sent / seconds).toFixed(1)} requests a second`);
      await Promise.all(windows.map((window) => window.close()));
      return result;
    };
    await measure();
    const sides = { none: measure, besideSenders, beside };
    const steady = await interleave(size.rounds, sides, log, 'beside');
    const listed = (quantileOf: 'p50' | 'p99', side: keyof typeof sides) =>
      steady[side].map((result) => result[200]?.[quantileOf] ?? Number.NaN);
    const waits = (name: 'p50' | 'p99', side: 'besideSenders' | 'beside', of: string) =>
      createFigure({
        bench: 'console',
        what: `a list of orders beside ${of}, ${name}`,
        unit: 'ms',
        ours: listed(name, side),
        baseline: { what: 'no console open', values: listed(name, 'none') },
        // No worse; rounds differ by as much on a machine that is not idle.
        goal: { of: 'ratio', bound: 'at most', value: 1.5 },
        notes: [
          `${perSecond} requests a second, one in forty creates an order.`,
          ...(side === 'beside'
            ? ['The browsers run on the same machine, with a lower priority.']
            : []),
        ],
      });
    const requests = `the requests of ${consoles} consoles that follow`;
    const browsers = `${consoles} browsers with a console that follows`;
    return [
      createFigure({
        bench: 'console',
        what: `first row of ${formatCount(orders)} orders, without a cache`,
        unit: 'ms',
        ours: openings.opened,
        baseline: { what: 'the bare request for these rows', values: openings.bare },
        goal: { of: 'ours', bound: 'at most', value: 1_000 },
        notes: [`p90 ${quantile(openings.opened, 0.9).toFixed(0)} ms.`],
      }),
      createFigure({
        bench: 'console',
        what: 'from the creation of an order to its row in an open list',
        unit: 'ms',
        ours: created,
        // Source: the acceptance of the console, "in every visible tab within 2 s".
        goal: { of: 'ours', bound: 'at most', value: 2_000 },
        notes: [`The slowest of ${created.length}: ${Math.max(...created).toFixed(0)} ms.`],
      }),
      waits('p50', 'besideSenders', requests),
      waits('p99', 'besideSenders', requests),
      waits('p50', 'beside', browsers),
      waits('p99', 'beside', browsers),
    ];
  } finally {
    await modest.close();
    await browser.close();
    await client.stop();
    await senders.stop();
    await server.stop();
  }
}
