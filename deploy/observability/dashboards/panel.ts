/** One panel of a dashboard, as far as ours differ from each other. */
export type Panel = {
  title: string;
  /** For somebody who sees it for the first time. */
  description: string;
  unit: Unit;
  queries: readonly Query[];
};

export type Query = {
  /** `$__rate_interval` is Grafana's: four scrapes, or more where a point stands for more. */
  expr: string;
  /** `{{label}}` stands for the value of a label. */
  legend: string;
  /** Why it gives nothing while all is well; where absent it must give something. */
  emptyBecause?: string;
};

export type Row = { title: string; panels: readonly Panel[] };

export type Definition = { uid: string; title: string; description: string; rows: readonly Row[] };

/** By Grafana's names. */
export type Unit = 'short' | 's' | 'reqps' | 'ops' | 'percentunit' | 'bytes';

/** The usual three lines of a histogram. */
export function quantiles(histogram: string, selector = ''): Query[] {
  return ([0.5, 0.95, 0.99] as const).map((quantile) => ({
    expr: `histogram_quantile(${quantile}, sum by (le) (rate(${histogram}_bucket${selector}[$__rate_interval])))`,
    legend: `p${quantile * 100}`,
  }));
}

/** One line of a histogram for each value of labels. */
export function quantileBy(
  labels: readonly string[],
  options: { quantile: number; histogram: string; selector?: string },
): string {
  const { quantile, histogram, selector = '' } = options;
  const by = ['le', ...labels].join(', ');
  return `histogram_quantile(${quantile}, sum by (${by}) (rate(${histogram}_bucket${selector}[$__rate_interval])))`;
}

/** What replicas counted together, by labels, a second. */
export function rateBy(labels: readonly string[], counter: string): string {
  return `sum by (${labels.join(', ')}) (rate(${counter}[$__rate_interval]))`;
}
