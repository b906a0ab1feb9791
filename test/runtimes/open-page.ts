import { chromium, type Page } from 'playwright-core';
import { startHttpServer } from '../helpers/loopback';
import { temporaryFolder } from '../helpers/temporary-folder';

/** A page in a real browser. */
export interface OpenPage {
  page: Page;
  /** The uncaught errors of the page. */
  errors: string[];
  close(): Promise<void>;
}

/** Prevents the browser from requesting anything except the page. */
const chromiumArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Opens a page with a script in Chromium (`CHROMIUM_PATH`, or Debian's path). The page is served from loopback,
 * which browsers trust like HTTPS, so that it has WebCrypto. Close it when the test ends.
 */
export async function openPage(script: string): Promise<OpenPage> {
  const folder = await temporaryFolder();
  const server = await startHttpServer(({ url }, response) => {
    const [type, body] =
      url === '/script.js'
        ? ['text/javascript', script]
        : ['text/html', '<!doctype html><script type="module" src="/script.js"></script>'];
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
  });
  const cleanUp = async () => {
    await server.close();
    await folder.remove();
  };
  try {
    const browser = await chromium.launchPersistentContext(folder.path, {
      executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
      args: chromiumArgs,
      headless: true,
    });
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(server.url, { waitUntil: 'load' });
    return {
      page,
      errors,
      async close() {
        await browser.close();
        await cleanUp();
      },
    };
  } catch (error) {
    await cleanUp();
    throw error;
  }
}
