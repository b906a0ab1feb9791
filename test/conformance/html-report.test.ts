import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { formatHtml } from '../../packages/conformance/src/report/html';
import { formatJunit } from '../../packages/conformance/src/report/junit';
import type { Report } from '../../packages/conformance/src/report/report';
import {
  aHostileReport,
  aReport,
  everyVerdict,
  hostileTexts,
} from '../../packages/conformance/test/report/a-report';
import { type OpenBrowser, openBrowser } from '../helpers/open-browser';
import { findViolations, recordFaults } from '../helpers/page-faults';
import { temporaryFolder } from '../helpers/temporary-folder';

let browser: OpenBrowser;
let file: string;

beforeAll(async () => {
  browser = await openBrowser();
  const folder = await temporaryFolder();
  file = join(folder.path, 'report.html');
  return async () => {
    await browser.close();
    await folder.remove();
  };
});

const report = aReport({ checks: everyVerdict, left: ['Order ord_1 is fulfilling.'] });

/** Opens a report from a file, and expects that the page requests nothing and reports no error. */
async function onPage(
  shown: Report,
  use: (page: Page) => Promise<void>,
  { scripts = true } = {},
): Promise<void> {
  const page = await browser.context.newPage();
  try {
    const faults = recordFaults(page, 'null');
    const session = await browser.context.newCDPSession(page);
    await session.send('Emulation.setScriptExecutionDisabled', { value: !scripts });
    await writeFile(file, formatHtml(shown));
    await page.goto(pathToFileURL(file).href);
    await use(page);
    expect(faults).toEqual([]);
  } finally {
    await page.close();
  }
}

const openAll = "document.querySelectorAll('details').forEach((part) => { part.open = true; })";

test.each([
  { width: 1440, colorScheme: 'light' },
  { width: 1440, colorScheme: 'dark' },
  { width: 360, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
] as const)(
  'axe finds no violation and nothing is wider than $width px in $colorScheme colours',
  async ({ width, colorScheme }) => {
    for (const shown of [report, aHostileReport('x'.repeat(300))]) {
      await onPage(shown, async (page) => {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await page.evaluate(openAll);
        expect(await findViolations(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      });
    }
  },
);

test('failures are open, others open on a click, and the list of checks is filtered, without scripts', async () => {
  await onPage(
    report,
    async (page) => {
      expect(await page.locator('.finding.fail pre').first().isVisible()).toBe(true);
      const waived = page.locator('.finding.waived');
      expect(await waived.locator('pre').first().isVisible()).toBe(false);
      await waived.locator('summary').first().click();
      expect(await waived.getByText('Fixed in release 12').isVisible()).toBe(true);

      const rows = page.locator('tr.check').filter({ visible: true });
      expect(await rows.count()).toBe(everyVerdict.length);
      await page.getByRole('radio', { name: 'not run' }).check();
      expect(await page.locator('th[scope=rowgroup]').filter({ visible: true }).count()).toBe(1);
      expect(await rows.allInnerTexts()).toEqual([expect.stringContaining('not run')]);
    },
    { scripts: false },
  );
});

test('the page on paper has what is closed on a screen, but no raw bodies', async () => {
  await onPage(report, async (page) => {
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.locator('.finding.waived pre').first().isVisible()).toBe(true);
    expect(await page.locator('.raw').first().isVisible()).toBe(false);
    const color = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(color).toBe('rgb(255, 255, 255)');
  });
});

/** The elements of a document, in order, with their classes and IDs. */
const readElements = `[...document.querySelectorAll('*')].map(({ tagName, className, id }) =>
  [tagName, String(className.baseVal ?? className), id].join(' '))`;

const hostile = aHostileReport(hostileTexts.join(' '));

test('no text of the service becomes an element', async () => {
  const found: unknown[] = [];
  for (const shown of [aHostileReport('plain'), hostile]) {
    await onPage(shown, async (page) => {
      found.push(await page.evaluate(readElements));
      // The parser replaces NUL and half pairs by U+FFFD.
      expect(await page.locator('body').textContent()).not.toContain('\ufffd');
    });
  }
  expect(found[1]).toEqual(found[0]);
});

test('the policy of the page allows no script', async () => {
  const script = '<main><script>document.title = "run"</script>';
  const page = await browser.context.newPage();
  await writeFile(file, formatHtml(report).replace('<main>', script));
  await page.goto(pathToFileURL(file).href);
  expect(await page.title()).toMatch(/^Failed: /);
  await page.close();
});

test('a parser reads JUnit reports with any text of the service', async () => {
  const page = await browser.context.newPage();
  const names = await page.evaluate<string[]>(
    `[...new DOMParser().parseFromString(${JSON.stringify(formatJunit(hostile))}, 'application/xml')
      .querySelectorAll('*')].map(({ tagName }) => tagName).sort()`,
  );
  const repeat = (name: string, count: number) => Array<string>(count).fill(name);
  expect(names).toEqual([
    'failure',
    ...repeat('skipped', 4),
    ...repeat('system-out', 2),
    ...repeat('testcase', everyVerdict.length),
    ...repeat('testsuite', 2),
    'testsuites',
  ]);
  await page.close();
});
