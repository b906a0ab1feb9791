import { type BrowserContext, chromium } from 'playwright-core';
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
];

/** Starts Chromium (`CHROMIUM_PATH`, or Debian's path). Close it when the test ends. */
export async function openBrowser(): Promise<OpenBrowser> {
  const folder = await temporaryFolder();
  try {
    const context = await chromium.launchPersistentContext(folder.path, {
      executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
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
