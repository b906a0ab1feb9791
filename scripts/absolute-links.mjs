import { parse, postprocess, preprocess } from 'micromark';
import { gfm } from 'micromark-extension-gfm';

/**
 * Replaces the relative links of a Markdown document. Links within the document and absolute links stay; so does all other
 * text. HTML is not read.
 *
 * @param {string} markdown The document.
 * @param {(destination: string, kind: 'link' | 'image') => string} replace Returns what a destination becomes.
 * @returns {string} The document with the other links.
 */
export function replaceLinks(markdown, replace) {
  const tokens = postprocess(
    parse({ extensions: [gfm()] })
      .document()
      .write(preprocess()(markdown, undefined, true)),
  );
  const open = [];
  let replaced = '';
  let copied = 0;
  for (const [event, { type, start, end }] of tokens) {
    if (type === 'image' || type === 'link') {
      if (event === 'enter') open.push(type);
      else open.pop();
    }
    if (event === 'exit' || !/^(resource|definition)DestinationString$/.test(type)) continue;
    const destination = markdown.slice(start.offset, end.offset);
    if (destination.startsWith('#') || URL.canParse(destination)) continue;
    replaced += markdown.slice(copied, start.offset) + replace(destination, open.at(-1) ?? 'link');
    copied = end.offset;
  }
  return replaced + markdown.slice(copied);
}

/**
 * Makes the relative links of a Markdown document absolute, so that they work outside of the repository.
 *
 * @param {string} markdown The document.
 * @param {string} address Where the repository's website shows it: `https://github.com/OWNER/NAME/blob/REF/PATH`. An
 *   image gets the address of its file, with `raw` instead of `blob`.
 * @returns {string} The document with absolute links.
 */
export function makeLinksAbsolute(markdown, address) {
  return replaceLinks(markdown, (destination, kind) => {
    const base = kind === 'image' ? address.replace('/blob/', '/raw/') : address;
    return new URL(destination, base).href;
  });
}
