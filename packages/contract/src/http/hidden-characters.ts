/**
 * A letter or a mark of a script whose letters a joiner, or a non-joiner, shapes: those that are joined when written, and those of India
 * and its neighbours, which form conjuncts. Source: The Unicode Standard, section 23.2.
 */
const shaped = `(?=[\\p{L}\\p{M}])[${[
  ...['Arabic', 'Syriac', 'Mandaic', 'Mongolian', 'Nko', 'Adlam', 'Hanifi_Rohingya'],
  ...['Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada'],
  ...['Malayalam', 'Sinhala', 'Myanmar', 'Khmer', 'Javanese', 'Balinese'],
]
  .map((script) => `\\p{scx=${script}}`)
  .join('')}]`;

/** Where a script or an emoji needs such a character: a variation selector, or a joiner between two of a kind. */
const needed = [
  /(?<=\p{ExtPict})[\ufe0e\ufe0f]/u,
  /(?<=[\d#*])\ufe0f(?=\u20e3)/u,
  /(?<=\p{sc=Han})[\u{e0100}-\u{e01ef}]/u,
  /(?<=\p{sc=Mongolian})[\u180b-\u180f]/u,
  /(?<=\p{ExtPict}|\p{EMod}|\ufe0f)\u200d(?=\p{ExtPict})/u,
  new RegExp(`(?<=${shaped})[\u200c\u200d](?=${shaped})`, 'u'),
];

/**
 * Matches characters that nobody sees, with which a text can hide something from people: of control, half a pair, line ends, of
 * direction, and without a width. Tags are among them on purpose, also in the flags of England, Scotland and Wales: any text can be
 * written in them.
 */
export const hiddenCharacters = new RegExp(
  `(?!${needed.map(({ source }) => source).join('|')})[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{DI}\\ufff9-\\ufffb]`,
  'u',
);

// Pure: bundles that only test for such characters leave it out.
const everyHidden = /* @__PURE__ */ new RegExp(hiddenCharacters.source, 'gu');

/** Returns `\u009b` for U+009B, and two such for a character above U+FFFF, as in JSON. */
function escapeCharacter(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/**
 * Shows each hidden character of a text as its code, such as `\u001b`: what could move the cursor, end the line, change the state of a
 * terminal, reorder text or hide some. A JSON text keeps its meaning if its line ends are kept.
 *
 * @param kept characters that stay, such as line ends
 */
export function escapeHiddenCharacters(text: string, kept = ''): string {
  return text.replace(everyHidden, (character) =>
    kept.includes(character) ? character : escapeCharacter(character),
  );
}
