import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { type Preferences, usePreferences } from '../kernel/preferences';
import styles from './chart.module.css';

/** One line of a chart. */
export interface Series {
  name: string;
  /** A variable of the palette, such as `--good`. */
  color: string;
  /** A value for each time; null for a gap. */
  values: (number | null)[];
  /** Whether it is a bar for each time rather than a line. */
  bars?: boolean;
  /** Whether a line is dashed, and a bar hollow where the person has chosen the colours: it tells the series from the other. */
  isSecond?: boolean;
}

const height = 180;

type TimeMode = Preferences['times'];

/** Returns whether a media query matches, and renders again when that changes. */
function useMedia(query: string): boolean {
  const media = useMemo(() => matchMedia(query), [query]);
  return useSyncExternalStore(
    useCallback(
      (listener) => {
        media.addEventListener('change', listener);
        return () => media.removeEventListener('change', listener);
      },
      [media],
    ),
    () => media.matches,
  );
}

/** A chart over time. Each page has a table with the same numbers beside it, for screen readers too. */
export default function Chart({
  times,
  series,
  format,
}: {
  /** Milliseconds since 1970. */
  times: number[];
  series: readonly Series[];
  /** Writes a value with its unit. @default as a count: without one, and with ticks at whole numbers */
  format?: (value: number) => string;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const { theme, times: mode } = usePreferences();
  const isSystemDark = useMedia('(prefers-color-scheme: dark)');
  const isForced = useMedia('(forced-colors: active)');
  const latest = useRef<{ data: uPlot.AlignedData; plot?: uPlot }>({ data: [[]] });
  useEffect(() => {
    const data: uPlot.AlignedData = [
      times.map((time) => time / 1_000),
      ...series.map(({ values }) => values),
    ];
    latest.current.data = data;
    latest.current.plot?.setData(data);
  }, [times, series]);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const palette = getComputedStyle(element);
    // `light-dark()` is resolved where a colour is used, and a canvas does not use one.
    const resolve = (name: string, forced = 'CanvasText') => {
      element.style.color = isForced ? forced : `var(${name})`;
      return palette.color;
    };
    const [text, grid] = [resolve('--muted'), resolve('--line', 'GrayText')];
    const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { show: false } };
    const write = format ?? formatCount;
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height,
        cursor: { drag: { x: false, y: false } },
        legend: {
          live: true,
          markers: {
            dash: (_, at) => {
              const { isSecond, bars } = series[at - 1] ?? {};
              return isSecond && !bars ? 'dashed' : 'solid';
            },
          },
        },
        tzDate: (seconds) =>
          mode === 'utc'
            ? uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC')
            : new Date(seconds * 1_000),
        scales: { y: { range: (_, __, max) => [0, Math.max(max, 1) * 1.1] } },
        axes: [
          { ...axis, values: (_, all) => all.map((one, at) => formatTick(one, all[at - 1], mode)) },
          {
            ...axis,
            size: 56,
            values: (_, all) => all.map(write),
            ...(!format && { incrs: steps }),
          },
        ],
        series: [
          { label: 'Time', value: (_, one) => (one === null ? '' : formatMoment(one, mode)) },
          ...series.map(({ name, color, bars, isSecond }) => {
            const stroke = resolve(color);
            const isHollow = bars && isSecond && isForced;
            const barPaths = uPlot.paths.bars?.({ size: [0.7, 40] });
            return {
              label: name,
              stroke,
              width: bars && !isHollow ? 0 : 2,
              ...(!bars && isSecond && { dash: [6, 4] }),
              points: { show: !bars, size: 5, filter: bars ? null : findLonely },
              value: (_: unknown, value: number | null) => (value === null ? 'none' : write(value)),
              ...(bars && !isHollow && { fill: stroke }),
              ...(bars && barPaths && { paths: barPaths }),
            };
          }),
        ],
      },
      latest.current.data,
      element,
    );
    latest.current.plot = plot;
    element.style.color = '';
    const observer = new ResizeObserver(() => {
      plot.setSize({ width: element.clientWidth, height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
      delete latest.current.plot;
    };
    // Of the series, only their values change.
  }, [format, theme, isSystemDark, isForced, mode, series.length]);
  return <div ref={ref} className={styles.chart} aria-hidden />;
}

const zones = { relative: undefined, local: undefined, utc: 'UTC' } as const;

function writeTime(seconds: number, mode: TimeMode, options: Intl.DateTimeFormatOptions): string {
  const timeZone = zones[mode];
  return new Date(seconds * 1_000).toLocaleString('en-GB', {
    ...options,
    ...(timeZone && { timeZone }),
  });
}

const dayAndMonth = { day: 'numeric', month: 'short' } as const;
const hourAndMinute = { hour: '2-digit', minute: '2-digit' } as const;

/** The distances between ticks of counts. */
const steps = [1, 10, 100, 1_000, 10_000, 100_000].flatMap((one) => [one, 2 * one, 5 * one]);

/** Writes a tick of the axis: its time of day, and the day where it begins. */
function formatTick(seconds: number, before: number | undefined, mode: TimeMode): string {
  const day = writeTime(seconds, mode, dayAndMonth);
  const isSameDay = before !== undefined && writeTime(before, mode, dayAndMonth) === day;
  const time = writeTime(
    seconds,
    mode,
    seconds % 60 === 0 ? hourAndMinute : { ...hourAndMinute, second: '2-digit' },
  );
  if (time === '00:00') return day;
  return isSameDay ? time : `${time}\n${day}`;
}

function formatMoment(seconds: number, mode: TimeMode): string {
  return `${writeTime(seconds, mode, dayAndMonth)}, ${writeTime(seconds, mode, hourAndMinute)}`;
}

/** Finds values without a neighbour: no line leads to them. */
function findLonely(plot: uPlot, index: number): number[] {
  const values = plot.data[index] ?? [];
  const has = (at: number) => (values[at] ?? null) !== null;
  return [...values.keys()].filter((at) => has(at) && !has(at - 1) && !has(at + 1));
}

function formatCount(value: number): string {
  return value.toLocaleString('en');
}
