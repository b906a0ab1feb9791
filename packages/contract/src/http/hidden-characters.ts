/** Where a script or an emoji needs such a character: a variation selector, or a joiner between two of a kind. */
const needed = [
  /(?<=\p{ExtPict})[\ufe0e\ufe0f]/u,
  /(?<=[\d#*])\ufe0f(?=\u20e3)/u,
  /(?<=\p{sc=Han})[\u{e0100}-\u{e01ef}]/u,
  /(?<=\p{sc=Mongolian})[\u180b-\u180f]/u,
  /(?<=\p{ExtPict}|\p{EMod}|\ufe0f)\u200d(?=\p{ExtPict})/u,
  // Letters of other scripts never join.
  /(?<=[\p{L}\p{M}])(?<![\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Han}])[\u200c\u200d](?=[\p{L}\p{M}])/u,
];

/**
 * Matches characters that nobody sees, with which a text can hide something from people: of control, half a pair, line ends, of
 * direction, and without a width, such as tags.
 */
export const hiddenCharacters = new RegExp(
  `(?!${needed.map(({ source }) => source).join('|')})[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{DI}\\ufff9-\\ufffb]`,
  'u',
);
