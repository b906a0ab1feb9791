import fc from 'fast-check';

/** Any code point except surrogates. fast-check's own unit `binary` is the same, but takes a second to build. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800));
