import { slug } from 'github-slugger';
import { type DefaultTheme, defineConfig } from 'vitepress';
import { createLinkResolver, website } from '../links';
import { summary, writeTextsForModels } from '../llms';
import { extendMarkdown } from '../markdown';
import {
  describePage,
  generated,
  guides,
  listDecisions,
  listPages,
  listReference,
  type PageGroup,
  repository,
  startPages,
} from '../pages';
import { normalizeTerm, splitIntoTerms } from './search-terms';

const pages = listPages();
const bySource = new Map(pages.map((page) => [page.source, page]));
const resolveLink = createLinkResolver(pages);
const references = listReference();
const decisions = listDecisions();

// Groups that could be collapsed would be buttons with buttons in them, which screen readers cannot use.
const toSidebar = (groups: PageGroup[]): DefaultTheme.SidebarItem[] =>
  groups.map((group) => ({
    text: group.title,
    items: group.pages.map(({ title, address }) => ({ text: title, link: `/${address}` })),
  }));

const toNav = ({ title, pages: [first] }: PageGroup): DefaultTheme.NavItemWithLink => ({
  text: title,
  link: `/${first?.address ?? ''}`,
});

export default defineConfig({
  title: 'Tradepost',
  description: summary,
  lang: 'en-GB',
  // The pages are the Markdown files of the repository, where they are.
  srcDir: repository,
  srcExclude: [
    '{test,.changeset,.github}/**',
    '**/{CHANGELOG,THIRD-PARTY-NOTICES}.md',
    'packages/{domain,console}/**',
    'packages/*/{dist,src,test,api,deploy,templates}/**',
    '**/dist/**',
  ],
  rewrites: Object.fromEntries(pages.map(({ source, address }) => [source, `${address}index.md`])),
  outDir: './dist',
  cacheDir: './node_modules/.vitepress',
  // Decisions and references are no reason to ask for a theme's preloads of every page.
  metaChunk: true,
  markdown: {
    anchor: { slugify: slug },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (md) => extendMarkdown(md, resolveLink),
  },
  themeConfig: {
    logo: '/logo.svg',
    outline: [2, 3],
    externalLinkIcon: true,
    nav: [
      {
        text: 'Start',
        items: startPages.pages.map(({ title, address }) => ({ text: title, link: `/${address}` })),
      },
      { text: 'Guides', link: '/sdk/' },
      { text: 'Reference', items: references.map(toNav) },
      { text: 'Decisions', link: '/decisions/' },
    ],
    sidebar: {
      '/': toSidebar([...guides]),
      '/reference/': toSidebar(references),
      '/decisions/': toSidebar(decisions),
    },
    socialLinks: [{ icon: 'github', link: website, ariaLabel: 'The repository on GitHub' }],
    editLink: { pattern: `${website}/edit/main/:path`, text: 'Edit this page' },
    search: {
      provider: 'local',
      options: {
        detailedView: true,
        miniSearch: {
          searchOptions: {
            // Most people search for how to use it: not how it is run or checked, or why it is so.
            boostDocument: (id: string) => {
              if (/\/decisions\/|\/reference\/(?!cli)/.test(id)) return 0.4;
              return /\/(server|contract|conformance|architecture|glossary)\//.test(id) ? 0.6 : 1;
            },
          },
          options: { tokenize: splitIntoTerms, processTerm: normalizeTerm },
        },
      },
    },
    // The name of the link is its text.
    notFound: {
      title: 'Page not found',
      quote: 'It may have moved: search for it, or start from the home page.',
      linkLabel: 'Home page',
      linkText: 'Home page',
    },
    footer: { message: 'MIT licence' },
  },
  transformPageData({ filePath, frontmatter }) {
    const page = bySource.get(filePath);
    if (page === undefined) {
      throw new Error(
        `${filePath} is not a page of the site: list it in site/pages.ts, or exclude it in site/.vitepress/config.ts.`,
      );
    }
    if (filePath.startsWith(generated)) frontmatter.editLink = false;
    return page.address === '' ? {} : { description: describePage(page) };
  },
  transformHead: ({ siteData }) => [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `${siteData.base}logo.svg` }],
  ],
  buildEnd({ outDir, site }) {
    const records = decisions
      .slice(1)
      .map(({ title, pages }) => ({ title: `Decisions: ${title}`, pages }));
    const groups = [...guides, ...references, ...decisions.slice(0, 1), ...records];
    writeTextsForModels(outDir, site.base, groups, guides, resolveLink);
  },
  vite: {
    publicDir: `${repository}${generated}/public`,
    build: { chunkSizeWarningLimit: 4_000 },
    // Mermaid as its makers bundle it.
    resolve: { alias: [{ find: /^mermaid$/, replacement: 'mermaid/dist/mermaid.esm.min.mjs' }] },
    plugins: [
      {
        name: 'keep-whole',
        // To search these for unused code, of which they have none, would take a third of the time of a build.
        transform: (code: string, id: string) =>
          /\.md$|\/mermaid\/dist\//.test(id)
            ? { code, map: null, moduleSideEffects: 'no-treeshake' as const }
            : null,
      },
    ],
  },
});
