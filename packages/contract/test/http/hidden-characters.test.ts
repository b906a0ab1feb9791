import { describe, expect, test } from 'vitest';
import { escapeHiddenCharacters, hiddenCharacters } from '../../src/http/hidden-characters';

const [nonJoiner, joiner] = ['\u200c', '\u200d'];

describe('hidden characters', () => {
  test.each([
    ['Persian', `می${nonJoiner}خواهم`],
    ['Arabic with vowel marks', `هُ${joiner}هُ`],
    ['Syriac', `ܒ${nonJoiner}ܒ`],
    ["N'Ko", `ߊ${nonJoiner}ߋ`],
    ['Mongolian', `ᠮ${nonJoiner}ᠣ`],
    ['Hindi', `क्${joiner}ष`],
    ['Malayalam', `ന്${joiner}മ`],
    ['Sinhala', `ක්${joiner}ෂ`],
    ['Khmer', `ក${nonJoiner}៊ី`],
  ])('do not include a joiner in %s', (_, text) => {
    expect(text).not.toMatch(hiddenCharacters);
  });

  test.each([
    ['Latin', `Caf${joiner}é`],
    ['Latin with combining marks', `Cafe\u0301${joiner}e\u0301`],
    ['Greek', `α${nonJoiner}β`],
    ['Hangul', `한${joiner}글`],
    ['kana', `か${nonJoiner}な`],
    ['mathematical letters', `𝐀${joiner}𝐁`],
    ['Thai', `ก${joiner}ข`],
    ['Hebrew', `א${nonJoiner}ב`],
    ['Arabic and Latin', `م${nonJoiner}a`],
    ['Latin and Hindi', `a${joiner}क`],
    ['a word of Persian and a space', `می${nonJoiner} `],
  ])('include a joiner in %s', (_, text) => {
    expect(text).toMatch(hiddenCharacters);
  });

  test('do not include what emoji are made of, except tags', () => {
    for (const emoji of ['👩‍🚀', '👨‍👩‍👧‍👦', '🏳️‍🌈', '👍🏽', '1️⃣', '❤️', '🇫🇷']) {
      expect(emoji).not.toMatch(hiddenCharacters);
    }
    const england = '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';
    expect(england).toMatch(hiddenCharacters);
  });
});

describe('escapeHiddenCharacters', () => {
  test('shows each as its code, and keeps those that it is told to', () => {
    const text = 'a\u001b[2J\tb\u202ec\ud800d\u{e0041}\n';
    expect(escapeHiddenCharacters(text)).toBe(
      'a\\u001b[2J\\u0009b\\u202ec\\ud800d\\udb40\\udc41\\u000a',
    );
    expect(escapeHiddenCharacters('\u0000a\tb\n', '\n\t')).toBe('\\u0000a\tb\n');
  });

  test('keeps the meaning of a JSON text', () => {
    const value = { text: '\u009b\u202e\u200b\u{e0041} "quoted"' };
    const json = escapeHiddenCharacters(JSON.stringify(value, null, 2), '\n');
    expect(json).not.toMatch(/[\u009b\u202e\u200b]/);
    expect(JSON.parse(json)).toEqual(value);
  });
});
