import { expect, test } from 'vitest';
import { findMetrics } from './find-metrics';

test.each([
  ['up == 0', [{ name: 'up', labels: [] }], []],
  [
    'sum by (le, route) (rate(a_bucket{job=~"$job",route!="/v1/x"}[$__rate_interval])) / on (host) b > 0.5',
    [
      { name: 'a_bucket', labels: ['job', 'route'] },
      { name: 'b', labels: [] },
    ],
    ['le', 'route', 'host'],
  ],
  ['a_seconds - time() < 7 * 86400', [{ name: 'a_seconds', labels: [] }], []],
])('the metrics of %s are found', (expression, metrics, grouping) => {
  expect(findMetrics(expression)).toEqual({ metrics, grouping });
});

test.each(['', 'rate(a[5m]', 'a{route=5}', 'sum by le (a)', 'a[five minutes]'])(
  'the expression "%s" is rejected, as by Prometheus',
  (expression) => {
    expect(() => findMetrics(expression)).toThrow('Not valid at');
  },
);
