/** A page of the reference. */
export interface ReferencePage {
  /** Its file, relative to the folder of the reference, such as `events/order-created.md`. */
  path: string;
  title: string;
  group: 'api' | 'events' | 'schemas' | 'sdk' | 'cli';
}

/** A page with its text. */
export interface PageText extends ReferencePage {
  /** One plain sentence, for search engines. */
  description: string;
  /** Markdown below the title. */
  body: string;
}

/**
 * Escapes a text with `code` in it for Markdown: what would be HTML, an expression of Vue, emphasis or a link is shown as it is.
 * Its code spans stay code spans.
 */
export function escapeText(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) => {
      if (/^`[^`]+`$/.test(part)) return part;
      return part.replace(/[<>*[\]\\]|\{\{|\}\}/g, (mark) =>
        [...mark].map((one) => `&#${one.charCodeAt(0)};`).join(''),
      );
    })
    .join('');
}

/** Writes a text as a code span. */
export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** Writes a fenced block. */
export function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}

/** Writes a table. Its cells are Markdown. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(heading), line(heading.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Writes a list. Its items are Markdown. */
export function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

/** Joins the parts of a page with an empty line; parts that are empty are left out. */
export function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Renders a page with its front matter. A text in JSON is one in YAML too. */
export function renderPage({ title, description, body }: PageText): string {
  const plain = description.replaceAll('`', '');
  return `---\ntitle: ${JSON.stringify(title)}\ndescription: ${JSON.stringify(plain)}\n---\n\n# ${escapeText(title)}\n\n${body.trim()}\n`;
}
