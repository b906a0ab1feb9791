import type { ComponentProps } from 'react';
import { usePart } from '../kernel/parts';
import type Chart from './chart';
import { Loaded } from './loaded';

/** A chart over time, whose code is loaded with the first one. */
export function LaterChart(props: ComponentProps<typeof Chart>) {
  const query = usePart('chart', () => import('./chart'));
  return (
    <Loaded query={query} what="the chart">
      {(Part) => <Part {...props} />}
    </Loaded>
  );
}
