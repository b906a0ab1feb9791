import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type OpenBrowser, openBrowser } from '../helpers/open-browser';
import { findViolations, recordFaults } from '../helpers/page-faults';
import { temporaryFolder } from '../helpers/temporary-folder';
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

/** Returns names in tables that break within a word: `even` and `t`. */
const findBrokenNames = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('.vp-doc td code')].flatMap((code) =>
    [...code.childNodes].filter((node) => {
      if (!/^\\w+[./_,=|]*$/.test(node.data)) return false;
      const range = document.createRange();
      range.selectNodeContents(node);
      return range.getClientRects().length > 1;
    }).map((node) => node.data))`);

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

  test('has a description of its own', async () => {
    const described = new Map<string, string[]>();
    for (const file of files.filter((name) => name.endsWith('index.html'))) {
      const html = await readFile(join(folder, file), 'utf8');
      const [, text = ''] = /<meta name="description" content="([^"]*)"/.exec(html) ?? [];
      described.set(text, [...(described.get(text) ?? []), file]);
    }
    expect([...described].filter(([, { length }]) => length > 1)).toEqual([
      [expect.stringMatching(/^A typed SDK/), ['index.html', 'overview/index.html']],
    ]);
    for (const text of described.keys()) expect(text).toMatch(/^(?!Status:).{10}/s);
  });

  test('works on a phone, requests nothing elsewhere and reports no error', async () => {
    await inWindow({ colorScheme: 'light', width: 360 }, async (page, faults) => {
      const found: string[] = [];
      for (const address of addresses) {
        await openPage(page, address);
        const wide = await findOverflow(page);
        const broken = await findBrokenNames(page);
        found.push(
          ...[...faults.splice(0), ...wide, ...broken].map((fault) => `${address}: ${fault}`),
        );
      }
      expect(found).toEqual([]);
    });
  });
});

test('the reference of the SDK begins with what programs call', async () => {
  const html = await readFile(join(folder, 'reference/sdk/client/index.html'), 'utf8');
  expect(/<h2 id="([^"]+)"/.exec(html)?.[1]).toBe('tradepost');
});

const isDark = (page: Page) =>
  page.evaluate<boolean>("document.documentElement.classList.contains('dark')");

/** A page of each kind: axe takes up to two seconds for a long one. */
const samples = [
  '',
  '404.html',
  'overview/',
  'start/integrator/',
  'cli/',
  'server/operating/',
  'glossary/',
  'decisions/',
  'decisions/0036-the-api-reference/',
  'reference/api/orders/',
  'reference/events/order-created/',
  'reference/schemas/order/',
  'reference/sdk/orders/',
  'reference/cli/api/',
].map((address) => base + address);

// Dark pages have the elements of the light ones.
test.each([
  { colorScheme: 'light', onlyColors: false },
  { colorScheme: 'dark', onlyColors: true },
] as const)(
  'axe finds no violation in $colorScheme colours',
  async ({ colorScheme, onlyColors }) => {
    expect(addresses).toEqual(expect.arrayContaining(samples));
    await inWindow({ colorScheme, width: 1280 }, async (page) => {
      const found: string[] = [];
      for (const address of samples) {
        await openPage(page, address);
        expect(await isDark(page)).toBe(colorScheme === 'dark');
        const violations = await findViolations(page, { onlyColors });
        found.push(...violations.map((fault) => `${address}: ${fault}`));
      }
      expect(found).toEqual([]);
    });
  },
);

test.each([
  ['rotate secret', /secret/i, /^(cli|reference\/cli\/webhooks)\//],
  ['503', /retries|exit codes|fails/i, /^(sdk|cli|server\/postgresql)\//],
  [
    'Service-Signature',
    /language|responses|event|signature/i,
    /^(sdk\/receiving|start\/receiver)\//,
  ],
  ['retry', /retries/i, /^sdk\//],
  ['idempotency', /retries/i, /^sdk\//],
  ['pagination', /orders/i, /^sdk\//],
  ['nextjs', /Next\.js/, /^sdk\/recipes\//],
  ['order_not_found', /metadata|errors/i, /^sdk\//],
])('search finds %s', async (query, title, address) => {
  await inWindow({ colorScheme: 'light', width: 1280 }, async (page, faults) => {
    await openPage(page, base);
    await page.keyboard.press('Control+k');
    await page.locator('.search-input').fill(query);
    const first = page.locator('.VPLocalSearchBox .result').first();
    await first.waitFor();
    expect(await first.textContent()).toMatch(title);
    expect((await first.getAttribute('href'))?.slice(base.length)).toMatch(address);
    await first.click();
    await page.waitForURL((url) => address.test(url.pathname.slice(base.length)));
    expect(faults).toEqual([]);
  });
});

describe('the texts for models', () => {
  test('list every page, and link to Markdown that exists', async () => {
    const text = await readFile(join(folder, 'llms.txt'), 'utf8');
    const links = Array.from(text.matchAll(/\]\(([^)]+)\)/g), ([, link = '']) => link);
    const pages = files.filter((file) => file.endsWith('/index.html'));
    expect(links.sort()).toEqual(pages.map((file) => base + file.replace(/html$/, 'md')).sort());
    expect(files).toEqual(expect.arrayContaining(links.map((link) => link.slice(base.length))));
  });

  test('say what each page is about', async () => {
    const text = await readFile(join(folder, 'llms.txt'), 'utf8');
    const items = text.split('\n').filter((line) => line.startsWith('- '));
    for (const item of items) expect(item).toMatch(/\]\(\S+\): (?!Status:)\S.*[.…]$/);
    const titles = text.split('\n').filter((line) => line.startsWith('## '));
    expect(new Set(titles).size).toBe(titles.length);
    expect(text).not.toContain('`');
  });

  test('have the guides in full', async () => {
    const text = await readFile(join(folder, 'llms-full.txt'), 'utf8');
    for (const title of ['@tradepost/sdk', 'Receive events', 'Operating the server', 'Glossary']) {
      expect(text).toMatch(new RegExp(`^# ${title}$`, 'm'));
    }
  });
});

describe('the checks fail', () => {
  test('on links to pages and anchors that do not exist, with their page', async () => {
    const broken = await temporaryFolder();
    try {
      await mkdir(join(broken.path, 'a'));
      await writeFile(join(broken.path, 'index.html'), '<a id="x" href="/site/a/#y">');
      const links = ' href="../#x" href="/" href="/site/b/" href="https://example.com/b" href="#z"';
      await writeFile(join(broken.path, 'a/index.html'), `<a${links}>`);
      expect(await findDeadLinks(broken.path, '/site/')).toEqual([
        'a/index.html: /',
        'a/index.html: /site/b/',
        'a/index.html: #z (no such anchor)',
        'index.html: /site/a/#y (no such anchor)',
      ]);
    } finally {
      await broken.remove();
    }
  });

  test('on wide pages, errors, requests to other origins and what axe finds', async () => {
    await inWindow({ colorScheme: 'light', width: 360 }, async (page, faults) => {
      await openPage(page, base);
      await page.evaluate(`{
        const image = document.createElement('img');
        image.src = 'http://127.0.0.1:9/elsewhere.png';
        const wide = document.createElement('div');
        wide.style.width = '500px';
        wide.append(image, 'wide');
        wide.style.color = '#777';
        wide.style.background = '#888';
        document.body.append(wide);
        console.error('broken');
      }`);
      expect(await findOverflow(page)).not.toEqual([]);
      const violations = await findViolations(page);
      expect(violations).toContainEqual(expect.stringMatching(/^image-alt: /));
      const ofColors = await findViolations(page, { onlyColors: true });
      expect(ofColors).toEqual([expect.stringMatching(/^color-contrast: /)]);
      expect(violations).toEqual(expect.arrayContaining(ofColors));
      expect(faults).toContain('error in the console: broken');
      expect(faults).toContain('request to http://127.0.0.1:9/elsewhere.png');
    });
  });
});
