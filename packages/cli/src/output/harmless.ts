/** Control characters, line and paragraph separators, half surrogates, and what reorders text. */
const harmful = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** The same without what JSON escapes by itself, or lays its lines out with. */
const harmfulInJson = /[\x7f-\x9f\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** `\u009b` for the character U+009B. Every character above is at most U+FFFF. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Makes text of the service safe to show: what could move the cursor, end the line, change the
 * terminal's state or reorder the text around it is shown as its code, such as `\u001b`.
 */
export function harmless(text: string): string {
  return text.replace(harmful, escaped);
}

/** Writes such characters in a JSON text as escapes. The JSON says the same as before. */
export function harmlessJson(json: string): string {
  return json.replace(harmfulInJson, escaped);
}
