import type { FaultName } from './faults';
import type { VariantName } from './variants';

/** How the service differs from its default: at most one of the two. */
export interface Behaviour {
  fault: FaultName | undefined;
  variant: VariantName | undefined;
}

/** Writes JSON as the service does, with dates as timestamps. */
export function writeJson(value: unknown, { variant }: Behaviour, indentation?: number): string {
  const text = JSON.stringify(withTimestamps(value, variant), null, indentation);
  return variant === 'decimalQuantities' ? text.replace(/("quantity":\d+)/g, '$1.0') : text;
}

function withTimestamps(value: unknown, variant: VariantName | undefined): unknown {
  if (value instanceof Date) return writeTimestamp(value, variant);
  if (Array.isArray(value)) return value.map((item) => withTimestamps(item, variant));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([name, item]) => [name, withTimestamps(item, variant)]));
}

function writeTimestamp(date: Date, variant: VariantName | undefined): string {
  const iso = date.toISOString();
  if (variant === 'basicTimestamps') return iso.replaceAll(/[-:]/g, '').replace('Z', '+0000');
  if (variant === 'offsetTimestamps') return iso.replace('.', ',').replace('Z', '000+00:00');
  if (variant === 'weekDates') return writeWeekDate(date) + iso.slice(10);
  return variant === 'wholeSeconds' ? iso.replace(/[.]\d+/, '') : iso;
}

/** The year of the week's Thursday, the week and the day of it, from Monday on. */
function writeWeekDate(date: Date): string {
  const weekday = ((date.getUTCDay() + 6) % 7) + 1;
  const thursday = new Date(date.getTime() + (4 - weekday) * 86_400_000);
  const year = thursday.getUTCFullYear();
  const days = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / 86_400_000);
  return `${year}-W${String(Math.floor(days / 7) + 1).padStart(2, '0')}-${weekday}`;
}
