import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceLinks } from '../scripts/absolute-links.mjs';
import type { ResolveLink } from './links';
import { describePage, type PageGroup, readMarkdown, type SitePage } from './pages';

/** What Tradepost is, for the head of pages and of `llms.txt`. */
export const summary =
  "A typed SDK with a webhook verifier, a command line and a reference server for a trade platform's orders, notifications and webhooks.";

/**
 * Writes the Markdown of each page beside it (`sdk/index.md`), `llms.txt`, which lists these files, and `llms-full.txt`, which
 * has all guides in one. Their links lead to the Markdown of other pages. Format: llmstxt.org.
 *
 * @param folder The site that was built.
 * @param base The path below which it is published, with slashes around it.
 * @param full The groups whose texts are in `llms-full.txt`.
 */
export function writeTextsForModels(
  folder: string,
  base: string,
  groups: readonly PageGroup[],
  full: readonly PageGroup[],
  resolveLink: ResolveLink,
): void {
  const toText = (page: SitePage) =>
    replaceLinks(readMarkdown(page), (destination) => {
      const address = resolveLink(page.source, destination);
      return address.startsWith('/')
        ? base + address.slice(1).replace(/\/(#|$)/, '/index.md$1')
        : address;
    });
  const lists = groups.map(({ title, pages }) => {
    const items = pages.map((page) => {
      mkdirSync(join(folder, page.address), { recursive: true });
      writeFileSync(join(folder, page.address, 'index.md'), toText(page));
      return `- [${page.title}](${base}${page.address}index.md): ${describePage(page)}`;
    });
    return `## ${title}\n\n${items.join('\n')}\n`;
  });
  const head = `# Tradepost\n\n> ${summary}\n\nAll guides in one file: ${base}llms-full.txt\n`;
  writeFileSync(join(folder, 'llms.txt'), [head, ...lists].join('\n'));
  const texts = full.flatMap(({ pages }) => pages.map((page) => toText(page).trim()));
  writeFileSync(join(folder, 'llms-full.txt'), `${texts.join('\n\n---\n\n')}\n`);
}
