import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { reference, repository, type SitePage } from './pages';

const { repository: published } = JSON.parse(
  readFileSync(join(repository, 'package.json'), 'utf8'),
) as { repository: { url: string } };

/** Where the repository's website is. */
export const website = published.url.replace(/^git\+|\.git$/g, '');

/** Returns where a link of a page leads on the site. */
export type ResolveLink = (source: string, destination: string) => string;

/**
 * Returns a function that resolves the relative links of Markdown files: to a page of the site (`/sdk/#retries`), to a
 * file that was made for the site (`/reference/schemas/order.json`), or else to the file on the repository's website.
 * Links within the page and absolute links stay. It throws an error for a file that does not exist.
 */
export function createLinkResolver(pages: readonly SitePage[]): ResolveLink {
  const addresses = new Map(pages.map(({ source, address }) => [source, `/${address}`]));
  return (source, destination) => {
    if (/^[#/]/.test(destination) || URL.canParse(destination)) return destination;
    const { pathname, hash } = new URL(destination, `file:///${source}`);
    const path = decodeURIComponent(pathname.slice(1));
    const address = addresses.get(path) ?? addresses.get(join(path, 'README.md'));
    if (address !== undefined) return address + hash;
    const file = join(repository, path);
    if (!existsSync(file)) {
      throw new Error(`${source} links to ${destination}: there is no file ${path}.`);
    }
    if (path.startsWith(`${reference}/`)) return `/reference/${path.slice(reference.length + 1)}`;
    const view = statSync(file).isDirectory() ? 'tree' : 'blob';
    return `${website}/${view}/main/${path}${hash}`;
  };
}
