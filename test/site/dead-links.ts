import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const decodeEntities = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"');

/** Returns the values of an attribute in the HTML that VitePress renders. */
function readAttribute(html: string, name: string): string[] {
  return Array.from(html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g')), ([, value = '']) =>
    decodeEntities(value),
  );
}

/** Lists the files of a site as paths below its root, such as `sdk/index.html`. */
export async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/**
 * Finds links and images of a built site that lead nowhere: to a path that has no file, or to an anchor that the page does not
 * have. Links to other origins are not followed.
 *
 * @param folder The site.
 * @param base The path below which it is published.
 */
export async function findDeadLinks(folder: string, base: string): Promise<string[]> {
  const files = new Set(await listFiles(folder));
  const pages = [...files].filter((file) => file.endsWith('.html'));
  const texts = new Map<string, string>();
  for (const page of pages) texts.set(page, await readFile(join(folder, page), 'utf8'));
  const anchors = new Map(
    Array.from(texts, ([page, html]) => [page, new Set(readAttribute(html, 'id'))]),
  );
  const dead: string[] = [];
  for (const [page, html] of texts) {
    const address = `http://site${base}${page}`;
    for (const link of new Set([...readAttribute(html, 'href'), ...readAttribute(html, 'src')])) {
      const url = new URL(link, address);
      if (url.host !== 'site' || !url.protocol.startsWith('http')) continue;
      const path = decodeURIComponent(url.pathname);
      const file = path.endsWith('/') ? `${path}index.html` : path;
      const target = file.slice(base.length);
      const anchor = decodeURIComponent(url.hash.slice(1));
      if (!file.startsWith(base) || !files.has(target)) dead.push(`${page}: ${link}`);
      else if (anchor !== '' && anchors.get(target)?.has(anchor) !== true) {
        dead.push(`${page}: ${link} (no such anchor)`);
      }
    }
  }
  return dead;
}
