/**
 * The first characters of an API key, by which people recognise it: `tpk_4fQx…`. Of a key so short
 * that they would give it away there is nothing but the dots.
 */
export function keyHint(apiKey: string): string {
  const shown = /^[A-Za-z]{1,8}_/.exec(apiKey)?.[0].length ?? 0;
  return apiKey.length >= shown + 16 ? `${apiKey.slice(0, shown + 4)}…` : '…';
}
