import { expect } from 'chai';
import { documentedMetrics } from './documented-metrics.ts';
import { usesOf } from './promql.ts';

describe('what a PromQL expression names', () => {
  const documented = documentedMetrics();
  const unknown = (expr: string, ...shown: string[]) => usesOf(expr).unknownTo(documented, shown);

  for (const expr of [
    'max by (service, group) (tributary_consumer_lag{live="true"}) > 10',
    'histogram_quantile(0.95, sum by (le, route) (rate(tributary_http_request_duration_seconds_bucket{status_class!~"2.."}[$__rate_interval])))',
    'sum by (status_class) (rate(tributary_webhook_attempts_total[5m]))',
    'count(count by (version) (tributary_build_info)) > 1',
  ]) {
    it(`is all known of ${expr}`, () => expect(unknown(expr)).to.deep.equal([]));
  }

  for (const [expr, what] of [
    ['max(tributary_consumer_lags)', 'tributary_consumer_lags'],
    ['tributary_consumer_lag{partition="1"}', 'tributary_consumer_lag{partition}'],
    ['sum by (tenant) (tributary_consumer_lag)', 'tenant'],
    ['rate(tributary_http_requests_total_count[5m])', 'tributary_http_requests_total_count'],
    [
      'rate(tributary_http_request_duration_seconds[5m])',
      'tributary_http_request_duration_seconds',
    ],
    ['other_metric > 0', 'other_metric'],
    ['max by (status_class) (tributary_consumer_lag)', 'status_class'],
  ] as const) {
    it(`is not all known of ${expr}`, () => expect(unknown(expr)).to.include(what));
  }

  it('includes the labels that a legend shows', () => {
    expect(unknown('max by (topic) (tributary_consumer_lag)', 'topic')).to.deep.equal([]);
    expect(unknown('max(tributary_consumer_lag)', 'tenant')).to.deep.equal(['tenant']);
  });
});
