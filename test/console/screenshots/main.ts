/**
 * What `npm run console:screenshots` runs: it starts a server on which people traded for a day, and makes a picture of each page of the
 * console, in light and dark colours, in `docs/console` or the folder that is passed. It needs Chromium (`CHROMIUM_PATH`, or Debian's path).
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Tradepost } from '@tradepost/sdk';
import type { Page } from 'playwright-core';
import { openBrowser } from '../../helpers/open-browser';
import { checkout, tradepostServerBin } from '../../helpers/programs';
import { startProcess } from '../../helpers/start-process';
import { temporaryFolder } from '../../helpers/temporary-folder';
import { startEndpoints } from './endpoints';
import { createMarket, tradeForADay } from './trade-for-a-day';

const target = resolve(process.argv[2] ?? join(checkout, 'docs/console'));
const hourMs = 3_600_000;
/** CSS pixels. Pictures have half as many more each way, so that text is sharp. */
const size = { width: 1_440, height: 860 };
const deviceScaleFactor = 1.5;
const quality = 50;

/** Starts a server whose clock can be set, and for which hosts below `.example` are this machine. */
async function startServer(folder: string, database: string) {
  const offsetFile = join(folder, 'clock-offset');
  const setHoursLeft = (hours: number) => writeFile(offsetFile, String(-hours * hourMs));
  await setHoursLeft(24);
  const preload = [
    ...['--import', join(checkout, 'test/helpers/settable-clock.mjs')],
    ...['--import', join(checkout, 'test/console/screenshots/example-hosts.mjs')],
  ];
  const args = ['--port', '0', '--database', database, '--allow-insecure-webhooks'];
  const server = startProcess(
    process.execPath,
    [...preload, tradepostServerBin, 'start', ...args, '--rate-limit', '100000'],
    { env: { CLOCK_OFFSET_FILE: offsetFile, TRADEPOST_LOG_LEVEL: 'error' } },
  );
  const [, url = ''] = await server.writes(/^listening on (\S+)$/m);
  return { url, setHoursLeft, stop: () => server.stop() };
}

/** Finds what pictures are of: the order of which most was said, and the delivery that was attempted most often. */
async function choosePages(client: Tradepost, [healthy = '', , failing = '']: string[]) {
  const { data: orders } = await client.orders.list({ status: 'completed', limit: 30 });
  const pasts = await Promise.all(
    orders.map(async ({ id }) => {
      const { entries } = await client.orders.timeline(id);
      return { id, reasons: entries.filter(({ change }) => change?.reason).length };
    }),
  );
  const [order] = pasts.sort((a, b) => b.reasons - a.reasons);
  const { data: failed } = await client.deliveries.list({ webhookId: failing, limit: 100 });
  const [delivery] = failed
    .filter(({ state }) => state === 'pending')
    .sort((a, b) => b.attemptCount - a.attemptCount);
  return {
    overview: '',
    orders: 'orders',
    order: `orders/${order?.id}`,
    webhooks: 'webhooks',
    'webhook-health': `webhooks/${failing}/health?window=24h`,
    'webhook-deliveries': `webhooks/${failing}/deliveries`,
    'webhook-settings': `webhooks/${healthy}/settings`,
    'webhook-rotate': `webhooks/${healthy}/rotate`,
    deliveries: 'deliveries',
    delivery: `deliveries/${delivery?.id}`,
    events: 'events',
    notifications: 'notifications',
    snippets: 'developer/snippets',
    signature: 'developer/signature',
  };
}

/** Takes a picture of the window as WebP: half the size of PNG, and Chromium writes it itself. */
async function takePicture(page: Page, file: string): Promise<number> {
  const devTools = await page.context().newCDPSession(page);
  const options = { format: 'webp', quality } as const;
  const { data } = await devTools.send('Page.captureScreenshot', options);
  await devTools.detach();
  const picture = Buffer.from(data, 'base64');
  await writeFile(file, picture);
  return picture.length;
}

const folder = await temporaryFolder();
const cleanups = [folder.remove];
try {
  const database = join(folder.path, 'tradepost.db');
  const market = await createMarket(database);
  const server = await startServer(folder.path, database);
  cleanups.unshift(async () => void (await server.stop()));
  let left = 24;
  const seller = new Tradepost({ baseUrl: server.url, apiKey: market.seller.apiKey });
  const endpoints = await startEndpoints(seller, () => left);
  cleanups.unshift(endpoints.close);
  await tradeForADay(
    server.url,
    market,
    async (hours) => {
      left = hours;
      await server.setHoursLeft(hours);
      // The last one was paused half a day ago.
      if (hours === 12)
        await seller.webhooks.update(endpoints.ids.at(-1) ?? '', { status: 'paused' });
    },
    async () => {
      do await pause(100);
      while (!endpoints.isIdle());
    },
  );
  const before = new Date(Date.now() - 2 * hourMs).toISOString();
  await seller.notifications.markAllRead({ before });

  const browser = await openBrowser();
  cleanups.unshift(browser.close);
  const { code } = await seller.signIn.createCode();
  const page = await browser.context.newPage();
  await page.setViewportSize(size);
  const devTools = await browser.context.newCDPSession(page);
  const scaled = { ...size, deviceScaleFactor, mobile: false };
  await devTools.send('Emulation.setDeviceMetricsOverride', scaled);
  await page.goto(`${server.url}/console/sign-in#${code}`);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await mkdir(target, { recursive: true });
  const pages = await choosePages(seller, endpoints.ids);
  for (const [name, path] of Object.entries(pages)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.goto(`${server.url}/console/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      // Pages follow the server by requests that stay open, so the network never rests: what is drawn must.
      await page
        .getByText(/^Loading/)
        .first()
        .waitFor({ state: 'detached' });
      await pause(700);
      const bytes = await takePicture(page, join(target, `${name}-${colorScheme}.webp`));
      process.stdout.write(`${name}-${colorScheme}.webp  ${Math.ceil(bytes / 1_000)} kB\n`);
    }
  }
} finally {
  for (const cleanup of cleanups) await cleanup();
}
