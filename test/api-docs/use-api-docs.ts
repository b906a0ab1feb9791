import { afterEach, beforeAll, expect } from 'vitest';
import { type OpenBrowser, openBrowser } from '../helpers/open-browser';
import { type SeededServer, startSeededServer } from '../helpers/start-seeded-server';
import { type ApiDocs, openApiDocs, type View } from './open-api-docs';

/**
 * Starts a server with demo data and a browser for the tests of a file. A page that a test opens is closed after it, and must
 * have no faults then.
 */
export function useApiDocs() {
  let seeded: SeededServer;
  let browser: OpenBrowser;
  let docs: ApiDocs;

  beforeAll(async () => {
    seeded = await startSeededServer();
    browser = await openBrowser();
    return async () => {
      await browser.close();
      await seeded.close();
    };
  });

  afterEach(async () => {
    await docs.page.close();
    expect(docs.faults).toEqual([]);
  });

  /** Opens the page of a server, such as a proxy in front of the one with demo data. */
  async function openAt(serverUrl: string, view?: View): Promise<ApiDocs> {
    docs = await openApiDocs(browser.context, serverUrl, view);
    return docs;
  }

  return {
    get server() {
      return seeded.server;
    },
    get buyer() {
      return seeded.buyer;
    },
    get context() {
      return browser.context;
    },
    open: (view?: View) => openAt(seeded.server.url, view),
    openAt,
    /** Returns what the buyer can order. */
    order() {
      const [listing] = seeded.seed.listings;
      return { listingId: listing?.id, quantity: 1 };
    },
  };
}
