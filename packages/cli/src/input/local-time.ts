interface LocalTime {
  /** `2026-11-20 14:05:09` */
  date: string;
  /** `+01:00` */
  offset: string;
}

/**
 * Creates a format for local times. It is loaded on first use.
 *
 * @param timeZone the value of TZ; the zone of the machine if it is unset, or has another form than Intl's
 */
export function createLocalFormat(timeZone: string | undefined): (time: string) => LocalTime {
  let format: Intl.DateTimeFormat | undefined;
  return (time) => {
    format ??= createDateFormat(timeZone || undefined);
    const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
    for (const { type, value } of format.formatToParts(Date.parse(time))) parts[type] = value;
    const { year = '', month, day, hour, minute, second, timeZoneName = '' } = parts;
    return {
      date: `${year.padStart(4, '0')}-${month}-${day} ${hour}:${minute}:${second}`,
      offset: timeZoneName.replace('GMT', '') || '+00:00',
    };
  };
}

function createDateFormat(timeZone: string | undefined): Intl.DateTimeFormat {
  const twoDigits = '2-digit';
  const options: Intl.DateTimeFormatOptions = {
    year: 'numeric',
    month: twoDigits,
    day: twoDigits,
    hour: twoDigits,
    minute: twoDigits,
    second: twoDigits,
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  };
  try {
    return new Intl.DateTimeFormat('en-GB', { ...options, ...(timeZone && { timeZone }) });
  } catch {
    // POSIX forms such as `CET-1CEST`, which Node has applied to its own zone.
    return new Intl.DateTimeFormat('en-GB', options);
  }
}

/**
 * Returns the time at which local clocks show something, in milliseconds since 1970. What they skip when they are set forward is as
 * much later; of what they show twice, it is the second one.
 *
 * @param shown the time in UTC at which a clock of UTC shows the same
 */
export function fromLocal(shown: number, timeZone: string | undefined): number {
  const format = createLocalFormat(timeZone);
  const subtractOffset = (at: number) => {
    const { offset } = format(new Date(at).toISOString());
    // Until about 1900, offsets have seconds.
    const [, sign, ...parts] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(offset) ?? [];
    const [hours = 0, minutes = 0, seconds = 0] = parts.map((part) => Number(part ?? 0));
    const difference = ((hours * 60 + minutes) * 60 + seconds) * 1000;
    return sign === '-' ? shown + difference : shown - difference;
  };
  const first = subtractOffset(shown);
  const second = subtractOffset(first);
  return subtractOffset(second) === second ? second : Math.max(first, second);
}
