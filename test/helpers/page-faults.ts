import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';

const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core'), 'utf8');

/**
 * Records what must never happen on a page: requests to another origin, errors and warnings in the console, and uncaught
 * errors.
 */
export function recordFaults(page: Page, origin: string): string[] {
  const faults: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) {
      faults.push(`${message.type()} in the console: ${message.text()}`);
    }
  });
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    const isInline = url.protocol === 'data:' || url.protocol === 'blob:';
    if (!isInline && url.origin !== origin) faults.push(`request to ${url.href}`);
  });
  return faults;
}

/** Waits for the ends of transitions: in between, colours are mixed, and have other contrasts. Those that a scroll drives never end. */
const untilStill = `Promise.allSettled(document.getAnimations()
  .filter(({ timeline }) => timeline === document.timeline)
  .filter((animation) => animation.effect.getComputedTiming().endTime !== Infinity)
  .map((animation) => animation.finished)).then(() => null)`;

/** The rules of axe that depend on colours, without those that are off by default. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/** What of a page axe looks at: it takes many seconds for a large page. */
interface AxeOptions {
  /** A selector of the only part to look at. */
  part?: string | undefined;
  /** Checks only the rules about colours: for a page in which axe has found nothing in other colours. */
  onlyColors?: boolean;
}

/** Returns the violations that axe finds in a page as it is now, each with the elements that have it. */
export async function findViolations(
  page: Page,
  { part, onlyColors = false }: AxeOptions = {},
): Promise<string[]> {
  await page.evaluate(untilStill);
  // Scripts of the test are not subject to the policy of the page.
  await page.evaluate(axeSource);
  const options = { resultTypes: ['violations'], ...(onlyColors ? { runOnly: colorRules } : {}) };
  const { violations } = await page.evaluate<axe.AxeResults>(
    `axe.run(${part === undefined ? 'document' : JSON.stringify(part)}, ${JSON.stringify(options)})`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
  );
}
