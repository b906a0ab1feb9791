import { type BrowserContext, chromium } from 'playwright-core';
import { chromiumPath } from './chromium';
import { temporaryFolder } from './temporary-folder';

/** A real browser with an empty profile. */
export interface OpenBrowser {
  context: BrowserContext;
  /** Ends the browser and removes its profile. */
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
  // A name of another machine, as browsers see it: a page there is no secure context.
  '--host-resolver-rules=MAP tradepost.test 127.0.0.1',
];

/**
 * Starts Chromium. Close it when the test ends.
 *
 * @param program Defaults to `CHROMIUM_PATH`, or Debian's path.
 */
export async function openBrowser(program = chromiumPath): Promise<OpenBrowser> {
  const folder = await temporaryFolder();
  try {
    const context = await chromium.launchPersistentContext(folder.path, {
      executablePath: program,
      args: chromiumArgs,
      headless: true,
    });
    return {
      context,
      async close() {
        await context.close();
        await folder.remove();
      },
    };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}
