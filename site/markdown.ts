import { relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import type { ResolveLink } from './links';
import { repository } from './pages';

/**
 * What VitePress says about the page that is rendered: `realPath` is missing while it makes the search index, and both while it
 * renders a title alone.
 */
interface PageEnvironment {
  path?: string;
  realPath?: string;
}

/** Lets code break where the parts of a name meet: `data.orderId` has two. Tags and entities stay as they are. */
function allowBreaks(code: string): string {
  return code
    .split(/(<[^>]*>|&\w+;)/)
    .map((part) => (/^[<&]/.test(part) ? part : part.replace(/(?<=\w[./_,=|]+)(?=\w)/g, '<wbr>')))
    .join('');
}

/**
 * Renders the Markdown of the repository as its website does: the files are written for both. In addition, links lead to the
 * site's pages, diagrams are drawn by a component, tables can be scrolled with the keyboard, and names in
 * them break where their parts meet.
 */
export function extendMarkdown(md: MarkdownRenderer, resolveLink: ResolveLink): void {
  // Only what looks like a URL becomes a link: `README.md` would be a host in Moldova.
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

  md.core.ruler.push('site', ({ tokens, env }) => {
    const { realPath, path } = env as PageEnvironment;
    const source = relative(repository, realPath ?? path ?? repository);
    let isInTable = false;
    for (const [index, token] of tokens.entries()) {
      if (token.type === 'table_open') token.attrSet('tabindex', '0');
      if (token.type.startsWith('table_')) isInTable = token.type === 'table_open';
      // A header cell must have a text.
      if (token.type === 'th_open' && tokens[index + 1]?.content === '') {
        token.tag = 'td';
        for (const later of tokens.slice(index, index + 3)) {
          if (later.type === 'th_close') later.tag = 'td';
        }
      }
      for (const inline of token.children ?? []) {
        if (isInTable && inline.type === 'code_inline') inline.meta = { isInTable };
        const destination = inline.type === 'link_open' ? inline.attrGet('href') : null;
        if (destination !== null) inline.attrSet('href', resolveLink(source, destination));
      }
    }
  });

  // Vue would read it as an expression.
  const { text, fence } = md.renderer.rules;
  md.renderer.rules.text = (...args) => (text?.(...args) ?? '').replaceAll('{{', '&#123;&#123;');

  const { code_inline: code } = md.renderer.rules;
  md.renderer.rules.code_inline = (...args) => {
    const [tokens, index] = args;
    const html = code?.(...args) ?? '';
    return tokens[index]?.meta?.isInTable ? allowBreaks(html) : html;
  };

  md.renderer.rules.fence = (...args) => {
    const [tokens, index] = args;
    const token = tokens[index];
    if (token?.info.trim() !== 'mermaid') return fence?.(...args) ?? '';
    return `<SiteDiagram code="${encodeURIComponent(token.content)}" />`;
  };
}
