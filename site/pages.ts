import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ReferencePage } from './reference/markdown';

/** The root of the repository, which has all Markdown files of the site. */
export const repository = fileURLToPath(new URL('..', import.meta.url));

/** What is made before each build, from the root of the repository. */
export const generated = 'site/generated';

/** Its part with the pages that `reference/write-reference.ts` makes, and the list of them. */
export const reference = `${generated}/reference`;
export const referenceList = `${generated}/reference.json`;

/** A page of the site, made from a Markdown file. */
export interface SitePage {
  /** The file, from the root of the repository. */
  source: string;
  /** Where the site shows it, without the base path: `sdk/receiving/`. */
  address: string;
  /** Its name in the navigation. */
  title: string;
}

/** Pages below one heading of the navigation. */
export interface PageGroup {
  title: string;
  pages: SitePage[];
}

const page = (source: string, address: string, title: string): SitePage => ({
  source,
  address,
  title,
});

export const startPages: PageGroup = {
  title: 'Start',
  pages: [
    page('site/pages/start/integrator.md', 'start/integrator/', 'Call the API'),
    page('site/pages/start/receiver.md', 'start/receiver/', 'Receive events'),
    page('site/pages/start/support.md', 'start/support/', 'Work on orders'),
    page('site/pages/start/operator.md', 'start/operator/', 'Run the server'),
  ],
};

/** The documents of the repository, in the order in which they are read. */
export const guides: PageGroup[] = [
  startPages,
  {
    title: 'SDK',
    pages: [
      page('packages/sdk/README.md', 'sdk/', 'The client'),
      page('packages/sdk/RECEIVING.md', 'sdk/receiving/', 'Receive events: guide'),
      page('packages/sdk/RECIPES.md', 'sdk/recipes/', 'Recipes'),
      page('packages/create/README.md', 'sdk/starter/', 'Starter: npm create tradepost'),
    ],
  },
  { title: 'Command line', pages: [page('packages/cli/README.md', 'cli/', 'tradepost')] },
  {
    title: 'Server',
    pages: [
      page('packages/server/README.md', 'server/', 'tradepost-server'),
      page('docs/operating.md', 'server/operating/', 'Operating the server'),
      page('docs/postgresql.md', 'server/postgresql/', 'On PostgreSQL'),
      page('docs/sql-dialects.md', 'server/sql-dialects/', 'SQL dialects'),
    ],
  },
  {
    title: 'Conformance',
    pages: [
      page('packages/conformance/README.md', 'conformance/service/', 'Is my service right?'),
      page('packages/sdk/CHECKING.md', 'conformance/receiver/', 'Is my receiver right?'),
    ],
  },
  {
    title: 'Contract',
    pages: [page('packages/contract/README.md', 'contract/', 'Schemas, OpenAPI, test vectors')],
  },
  {
    title: 'Project',
    pages: [
      page('README.md', 'overview/', 'Overview'),
      page('examples/README.md', 'examples/', 'Examples'),
      page('docs/glossary.md', 'glossary/', 'Glossary'),
      page('ARCHITECTURE.md', 'architecture/', 'Architecture'),
      page('CONTRIBUTING.md', 'contributing/', 'Contributing'),
      page('SECURITY.md', 'security/', 'Security'),
    ],
  },
];

/** Splits a Markdown file of the repository into its front matter, which may be empty, and its text. */
function splitSource({ source }: SitePage): { front: string; markdown: string } {
  const file = readFileSync(join(repository, source), 'utf8');
  const [whole = '', front = ''] = /^---\n([\s\S]*?)\n---\n+/.exec(file) ?? [];
  return { front, markdown: file.slice(whole.length) };
}

/** Reads a Markdown file of the repository, without its front matter. */
export function readMarkdown(page: SitePage): string {
  return splitSource(page).markdown;
}

/**
 * Says what a page is about: the `description` that a generator wrote into its front matter, or else its first paragraph, without
 * the status of a decision, as text of at most 200 characters.
 */
export function describePage(page: SitePage): string {
  const { front, markdown } = splitSource(page);
  const [, given] = /^description: (".*")$/m.exec(front) ?? [];
  if (given !== undefined) return JSON.parse(given);
  const paragraphs = markdown.split(/\n\s*\n/);
  const first = paragraphs.find((text) => /^[A-Z`*[]/.test(text) && !text.startsWith('Status:'));
  const text = (first ?? '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/:$/, '.');
  return text.length <= 200 ? text : `${text.slice(0, 199).replace(/\s\S*$/, '')}…`;
}

/** The decisions, in the groups and the order of their index. */
export function listDecisions(): PageGroup[] {
  const index = page('docs/decisions/README.md', 'decisions/', 'All decisions');
  const groups: PageGroup[] = [{ title: 'Decisions', pages: [index] }];
  for (const line of readMarkdown(index).split('\n')) {
    const [, title] = /^## (.*)/.exec(line) ?? [];
    if (title !== undefined) groups.push({ title, pages: [] });
    const [, number, file] = /^- \[(\d+)\]\(([\w-]+)\.md\)/.exec(line) ?? [];
    if (file === undefined) continue;
    const source = `docs/decisions/${file}.md`;
    const [, heading = file] =
      /^# \d+\. (.*)/m.exec(readFileSync(join(repository, source), 'utf8')) ?? [];
    const name = `${number} ${heading.replaceAll('`', '')}`;
    groups.at(-1)?.pages.push(page(source, `decisions/${file}/`, name));
  }
  return groups;
}

const referenceTitles: Record<ReferencePage['group'], string> = {
  api: 'API',
  events: 'Events',
  schemas: 'Schemas',
  sdk: 'Types of the SDK',
  cli: 'Commands',
};

/** The pages of the reference as it was written last. Throws an error if it never was. */
export function listReference(): PageGroup[] {
  const written = JSON.parse(
    readFileSync(join(repository, referenceList), 'utf8'),
  ) as ReferencePage[];
  const groups = new Map<string, PageGroup>();
  for (const { path, title, group } of written) {
    const entry = groups.get(group) ?? { title: referenceTitles[group], pages: [] };
    groups.set(group, entry);
    const address = `reference/${path.replace(/(^|\/)(index|README)\.md$|\.md$/, '$1').replace(/([^/])$/, '$1/')}`;
    entry.pages.push(page(`${reference}/${path}`, address, title));
  }
  return [...groups.values()];
}

/** The pages that no group of the navigation has. */
const home = page('site/pages/index.md', '', 'Tradepost');

/** All pages of the site. */
export function listPages(): SitePage[] {
  const groups = [...guides, ...listReference(), ...listDecisions()];
  return [home, ...groups.flatMap(({ pages }) => pages)];
}
