import { createServer } from 'node:http';
import { chromium, type Page } from 'playwright-core';
import { closeServer, listenOnLoopback } from '../helpers/loopback';
import { temporaryFolder } from '../helpers/temporary-folder';

/** A page in a real browser. */
export interface OpenPage {
  page: Page;
  /** What the page wrote to its console as an error, and what it threw. */
  complaints: string[];
  close(): Promise<void>;
}

/** Keeps the browser to itself: it asks nobody for anything but the page. */
const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Opens a page with a script of its own in Chromium (`CHROMIUM_PATH`, or where Debian puts it), served
 * from loopback: browsers trust that as they do HTTPS, and offer WebCrypto. Close it in the end.
 */
export async function openPage(script: string): Promise<OpenPage> {
  const folder = await temporaryFolder();
  const server = createServer(({ url }, response) => {
    const [type, body] =
      url === '/script.js'
        ? ['text/javascript', script]
        : ['text/html', '<!doctype html><script type="module" src="/script.js"></script>'];
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
  });
  const port = await listenOnLoopback(server);
  const leave = async () => {
    await closeServer(server);
    await folder.remove();
  };
  try {
    const browser = await chromium.launchPersistentContext(folder.path, {
      executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
      args: quiet,
      headless: true,
    });
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`http://127.0.0.1:${port}/`, { waitUntil: 'load' });
    return {
      page,
      complaints,
      async close() {
        await browser.close();
        await leave();
      },
    };
  } catch (error) {
    await leave();
    throw error;
  }
}
