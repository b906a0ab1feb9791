import { escapeHiddenCharacters } from '@tradepost/contract/hidden-characters';

/** A piece of XML or HTML. `markup` creates it, and what wraps a constant text of ours. */
export class Markup {
  constructor(readonly source: string) {}
}

type Value = string | number | Markup | Value[];

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Escapes text for XML and HTML, in elements and in quoted attributes. Characters that nobody sees are shown as their codes, and with
 * them all that XML 1.0 forbids (section 2.2). The probe of the CLI escapes its JUnit report itself: the kit shares only how hidden
 * characters are shown.
 */
function escapeText(text: string): string {
  return escapeHiddenCharacters(text, '\n\t')
    .replace(/[\ufffe\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
    .replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

function toSource(value: Value): string {
  if (value instanceof Markup) return value.source;
  return Array.isArray(value) ? value.map(toSource).join('') : escapeText(String(value));
}

/** Template tag for XML and HTML: `` markup`<p>${text}</p>` ``. Every value is escaped that is not markup itself. */
export function markup({ raw }: TemplateStringsArray, ...values: Value[]): Markup {
  return new Markup(String.raw({ raw }, ...values.map(toSource)));
}
