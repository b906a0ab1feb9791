import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/**
 * Expects that a page has only markup of the console: its own scripts and its icon, links to its own origin, and nothing that embeds.
 *
 * @param where Names the page if it has more.
 */
export async function expectOwnMarkup(page: Page, where: string): Promise<void> {
  const foreign = await page.evaluate(`[
    ...[...document.scripts].filter((one) => !/^[./]+assets[/][\\w-]+[.]js$/.test(one.getAttribute('src'))),
    ...document.querySelectorAll('iframe, object, embed, base, form[action], img:not([src$="/favicon.svg"])'),
    ...[...document.links].filter((one) => one.origin !== location.origin),
  ].map((one) => one.outerHTML)`);
  expect(foreign, where).toEqual([]);
}
