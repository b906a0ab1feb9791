import type { Page } from 'playwright-core';
import { startHttpServer } from '../helpers/loopback';
import { openBrowser } from '../helpers/open-browser';

/** A page in a real browser. */
export interface OpenPage {
  page: Page;
  /** The uncaught errors of the page. */
  errors: string[];
  close(): Promise<void>;
}

/**
 * Opens a page with a script in Chromium. The page is served from loopback, which browsers trust like HTTPS, so that it
 * has WebCrypto. Close it when the test ends.
 */
export async function openPage(script: string): Promise<OpenPage> {
  const server = await startHttpServer(({ url }, response) => {
    const [type, body] =
      url === '/script.js'
        ? ['text/javascript', script]
        : ['text/html', '<!doctype html><script type="module" src="/script.js"></script>'];
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
  });
  try {
    const browser = await openBrowser();
    const page = await browser.context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(server.url, { waitUntil: 'load' });
    return {
      page,
      errors,
      async close() {
        await browser.close();
        await server.close();
      },
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}
