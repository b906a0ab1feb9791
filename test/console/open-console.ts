import { Tradepost } from '@tradepost/sdk';
import type { BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect } from 'vitest';
import { type OpenBrowser, openBrowser } from '../helpers/open-browser';
import { findViolations, recordFaults } from '../helpers/page-faults';
import { createSeededPostgres } from '../helpers/start-postgres';
import {
  createSeededFile,
  type SeededDatabase,
  type SeededServer,
  startSeededServer,
} from '../helpers/start-seeded-server';

/** Reports violations as console errors; a blocked image, for example, is not always reported by the browser. */
const reportPolicyViolations = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy violation: ' + event.violatedDirective + ' ' + event.blockedURI))`;

/** How a person sees a page. */
export interface View {
  colorScheme: 'light' | 'dark';
  /** Width of the window in CSS pixels. */
  width: number;
}

/** How long a test waits for what a page shows. On a busy machine that takes long, and no test is about it. */
export const patienceMs = 100_000;

const usual: View = { colorScheme: 'light', width: 1280 };

/** An account of the demo data. */
type Who = 'buyer' | 'seller' | 'agent' | 'stranger';

/** How its process is started. */
type ServerOptions = Parameters<typeof startSeededServer>[1];

/**
 * Starts a server with demo data and a browser for the tests of a file. Every page that a test opens is closed after it, and must have
 * had no fault: no request to another origin, no violation of the policy, no error in the console.
 *
 * @param args Further options of `tradepost-server start`.
 */
export function useConsole(args: readonly string[] = [], options: ServerOptions = {}): Site {
  return useSite(useBrowser(), createSeededFile, args, options);
}

/**
 * Runs the tests of a file on both stores, one after the other, in one browser: those whose outcome may depend on the store.
 *
 * @param args Further options of `tradepost-server start`.
 */
export function describeOnBothStores(
  defineTests: (site: Site) => void,
  args: readonly string[] = [],
): void {
  const browser = useBrowser();
  describe.each([
    ['SQLite', createSeededFile],
    ['PostgreSQL', createSeededPostgres],
  ] as const)('on %s', (_, createDatabase) => {
    defineTests(useSite(browser, createDatabase, args));
  });
}

/** Starts a browser for the tests of a file. */
function useBrowser(): () => OpenBrowser {
  let browser: OpenBrowser;
  beforeAll(async () => {
    browser = await openBrowser();
    return () => browser.close();
  });
  return () => browser;
}

/** A server with demo data and its console. */
export type Site = ReturnType<typeof useSite>;

function useSite(
  getBrowser: () => OpenBrowser,
  createDatabase: () => Promise<SeededDatabase>,
  args: readonly string[],
  options: ServerOptions = {},
) {
  let seeded: SeededServer;
  let contexts: BrowserContext[] = [];
  let faults: string[][] = [];
  let expected: RegExp[] = [];

  beforeAll(async () => {
    seeded = await startSeededServer(args, { ...options, createDatabase });
    return () => seeded.close();
  });

  afterEach(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    const found = faults.flat().filter((fault) => !expected.some((one) => one.test(fault)));
    [contexts, faults, expected] = [[], [], []];
    expect(found).toEqual([]);
  });

  /** Opens a page in a browser window. Pages of one window share what a browser shares. */
  async function openPage(context: BrowserContext, view: View): Promise<Page> {
    const page = await context.newPage();
    await page.addInitScript(reportPolicyViolations);
    await page.emulateMedia({ colorScheme: view.colorScheme });
    await page.setViewportSize({ width: view.width, height: 900 });
    return page;
  }

  const harness = {
    get server() {
      return seeded.server;
    },
    get seeded() {
      return seeded;
    },
    /** Restarts the server, at another URL. Pages that are open lose it. */
    restart: () => seeded.restart(),
    /** Expects that a test causes what is a fault in all others. */
    expectFault(pattern: RegExp): void {
      expected.push(pattern);
    },
    /** Expects that requests of this test are rejected: browsers report these in the console, and no page can prevent it. */
    expectStatus(status: number): void {
      expected.push(
        new RegExp(`^error in the console: Failed to load resource: .* status of ${status} `),
      );
    },
    /** Returns a client of an account. */
    client: (who: Who) => new Tradepost({ baseUrl: seeded.server.url, apiKey: seeded[who].apiKey }),
    /** Returns a link that signs in once, as `tradepost open` prints it. */
    async createLink(who: Who): Promise<string> {
      const { code } = await harness.client(who).signIn.createCode();
      return `${seeded.server.url}/console/sign-in#${code}`;
    },
    /**
     * Opens a new, empty window.
     *
     * @param url Where its pages find the service. Defaults to the server itself.
     */
    async openWindow(url = seeded.server.url): Promise<BrowserContext> {
      const parent = getBrowser().context.browser();
      if (parent === null) throw new Error('The browser has no windows of its own.');
      const context = await parent.newContext();
      // A test that hangs ends soon enough by its own limit.
      context.setDefaultTimeout(patienceMs);
      contexts.push(context);
      context.on('page', (page) => faults.push(recordFaults(page, new URL(url).origin)));
      return context;
    },
    openPage: (context: BrowserContext, view = usual) => openPage(context, view),
    /** Signs in, and opens a page of the console. */
    async signIn(who: Who, path = '', view = usual): Promise<Page> {
      const page = await openPage(await harness.openWindow(), view);
      await page.goto(await harness.createLink(who));
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      if (path !== '') {
        await page.goto(`${seeded.server.url}/console/${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
      }
      return page;
    },
    findViolations,
  };
  return harness;
}
