import { type Finding, failed, fine, untold } from './check';

/** Receivers refuse a delivery whose timestamp is further away than this. Source: Standard Webhooks. */
const refusedMs = 5 * 60_000;
const noticedMs = 5_000;

/** `Date` has whole seconds: the moment is, on average, half a second later. */
const halfSecond = 500;

/**
 * Compares this machine's clock with the one of the service.
 *
 * @param date the header `Date` of an answer; null when it had none
 * @param startedAt when the request was sent, by this clock, in milliseconds since 1970
 * @param endedAt when the answer was there
 */
export function checkClock(date: string | null, startedAt: number, endedAt: number): Finding {
  const told = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(told)) return untold('clock', 'the service does not tell the time');
  // The answer was made half-way, as far as one can tell from here.
  const aheadMs = (startedAt + endedAt) / 2 - (told + halfSecond);
  const off = Math.abs(aheadMs);
  const accuracy = halfSecond + (endedAt - startedAt) / 2;
  if (off <= Math.max(noticedMs, accuracy)) {
    return fine('clock', 'agrees with the service to a few seconds');
  }
  const detail = `this clock is ${spanText(off)} ${aheadMs > 0 ? 'ahead of' : 'behind'} the service's`;
  const hint = 'Set the clock of this machine, best from the network (NTP).';
  if (off <= refusedMs) return fine('clock', detail, hint);
  return failed(
    'clock',
    'error',
    `${detail}: receivers refuse deliveries that are 5 minutes off`,
    hint,
  );
}

function spanText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
