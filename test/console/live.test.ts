import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findOrderId } from '../helpers/seed';
import { describeOnBothStores } from './open-console';

/** More than the six connections that a browser opens to a server with HTTP/1.1. */
const tabCount = 8;

/** A page, and what it requested. */
class Tab {
  /** Requests that wait for events. */
  waits = 0;
  /** Lists of orders that it got. */
  lists = 0;

  constructor(readonly page: Page) {
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/v1/events' && searchParams.has('waitSeconds')) this.waits += 1;
    });
    page.on('response', (response) => {
      if (response.ok() && new URL(response.url()).pathname === '/v1/orders') this.lists += 1;
    });
  }

  /** Waits until the list has an order. */
  shows(id: string): Promise<void> {
    return this.page.getByRole('link', { name: id }).waitFor();
  }

  /** Hides or shows the page. A browser without windows shows all of its pages, so the page is told. */
  async setHidden(isHidden: boolean): Promise<void> {
    await this.page.evaluate(`
      Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
      Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${isHidden ? 'hidden' : 'visible'}' });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));`);
  }
}

describeOnBothStores((site) => {
  test('one of eight tabs waits for events, and all that are visible show them', async () => {
    const { orders } = site.client('buyer');
    const [listing] = site.seeded.seed.listings;
    const placeOrder = async () => {
      const { id } = await orders.create({ listingId: listing?.id ?? '', quantity: 1 });
      return id;
    };
    const first = await site.signIn('seller', 'orders');
    const tabs = [new Tab(first)];
    // What it requested before it was counted does not matter.
    await first.reload();
    for (let count = 1; count < tabCount; count += 1) {
      const tab = new Tab(await site.openPage(first.context()));
      tabs.push(tab);
      await tab.page.goto(`${site.server.url}/console/orders`);
      await tab.shows(findOrderId(site.seeded.seed, 'pending'));
    }
    const findLeaders = () => tabs.filter(({ waits }) => waits > 0);
    const untilLed = () => expect.poll(() => findLeaders().length, { timeout: 60_000 }).toBe(1);
    await untilLed();

    const [leader] = findLeaders();
    const [hidden] = tabs.filter((tab) => tab !== leader);
    if (leader === undefined || hidden === undefined) throw new Error('No tab waits for events.');
    const visible = tabs.filter((tab) => tab !== hidden);
    await hidden.setHidden(true);
    const before = tabs.map(({ lists }) => lists);
    const created = await placeOrder();
    await Promise.all(visible.map((tab) => tab.shows(created)));
    expect(findLeaders()).toEqual([leader]);
    // One request for the order; one before, if what the leader had missed was still due. Nothing asks for what nobody sees.
    for (const [index, tab] of tabs.entries()) {
      const requests = tab.lists - (before[index] ?? 0);
      if (tab === hidden) expect(requests).toBe(0);
      else expect([1, 2]).toContain(requests);
    }
    await hidden.setHidden(false);
    await hidden.shows(created);

    // Another tab takes over, and what happened in between is not missed.
    const left = tabs.filter((tab) => tab !== leader);
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    const events = /\/v1\/events\?/;
    await first.context().route(events, async (route) => {
      await isReleased;
      await route.continue();
    });
    const asked = Promise.race(
      left.map(({ page }) => page.waitForRequest((request) => events.test(request.url()))),
    );
    await leader.page.close();
    await asked;
    const meanwhile = await placeOrder();
    release();
    await Promise.all(left.map((tab) => tab.shows(meanwhile)));
    await expect
      .poll(() => left.filter(({ waits }) => waits > 0).length, { timeout: 60_000 })
      .toBe(1);
  });
});
