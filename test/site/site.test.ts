import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type OpenBrowser, openBrowser } from '../helpers/open-browser';
import { findViolations, recordFaults } from '../helpers/page-faults';
import { temporaryFolder } from '../helpers/temporary-folder';
import { writeFile } from 'node:fs/promises';
import { base } from './build-site';
import { findDeadLinks, listFiles } from './dead-links';
import { serveSite } from './serve-site';

const folder = inject('site');
const files = await listFiles(folder);
const addresses = files
  .filter((file) => file.endsWith('.html'))
  .map((file) => base + file.replace(/index\.html$/, ''));

let browser: OpenBrowser;
let origin: string;

beforeAll(async () => {
  const server = await serveSite(folder, base);
  browser = await openBrowser();
  origin = server.origin;
  return async () => {
    await browser.close();
    server.close();
  };
});

interface View {
  colorScheme: 'light' | 'dark';
  /** Width of the window in CSS pixels. */
  width: number;
}

/** Opens a window for one test, and closes it. What must never happen is a fault of the test. */
async function inWindow(
  { colorScheme, width }: View,
  use: (page: Page, faults: string[]) => Promise<void>,
): Promise<void> {
  const page = await browser.context.newPage();
  try {
    const faults = recordFaults(page, origin);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 900 });
    await use(page, faults);
  } finally {
    await page.close();
  }
}

/** Opens a page, and waits until its scripts have made it live and drawn its diagrams. */
async function openPage(page: Page, address: string): Promise<void> {
  await page.goto(origin + address);
  await page.waitForFunction("document.querySelector('#app').__vue_app__ !== undefined");
  await page.waitForFunction("document.querySelector('pre.diagram') === null");
}

/** Returns the elements that make a page wider than the window. */
const findOverflow = (page: Page) =>
  page.evaluate<string[]>(`document.documentElement.scrollWidth <= innerWidth ? [] :
    [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
      .map((element) => element.tagName + '.' + element.className).slice(0, 5)`);

describe('every page', () => {
  test('has only links that lead somewhere', async () => {
    expect(addresses.length).toBeGreaterThan(60);
    expect(await findDeadLinks(folder, base)).toEqual([]);
  });

  test('works on a phone, requests nothing elsewhere and reports no error', async () => {
    await inWindow({ colorScheme: 'light', width: 360 }, async (page, faults) => {
      const found: string[] = [];
      for (const address of addresses) {
        await openPage(page, address);
        const wide = await findOverflow(page);
        found.push(...[...faults.splice(0), ...wide].map((fault) => `${address}: ${fault}`));
      }
      expect(found).toEqual([]);
    });
  });

  test.each(['light', 'dark'] as const)('has no violation that axe finds in %s colours', async (colorScheme) => {
    await inWindow({ colorScheme, width: 1280 }, async (page) => {
      const found: string[] = [];
      for (const address of addresses) {
        await openPage(page, address);
        found.push(...(await findViolations(page)).map((fault) => `${address}: ${fault}`));
      }
      expect(found).toEqual([]);
    });
  });
});
