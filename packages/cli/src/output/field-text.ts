/** A field's value as people read it: `-` where there is none. */
export function fieldText(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.map(fieldText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
