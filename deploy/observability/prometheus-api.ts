/** Labels of a series; its name is `__name__`. */
export type Labels = Readonly<Record<string, string>>;
/** Points in time in seconds since the epoch; a value may be NaN. */
export type Series = { labels: Labels; points: readonly { at: number; value: number }[] };
export type Alert = {
  name: string;
  labels: Labels;
  annotations: Readonly<Record<string, string>>;
  /** `pending`: its expression is true, and its `for` has not passed. */
  state: 'pending' | 'firing';
};
export type RuleState = { name: string; health: string; lastError?: string };

/** What Prometheus answers; each throws its message where it refuses. */
export type PrometheusApi = {
  /** The value of each series now. */
  query(expr: string): Promise<{ labels: Labels; value: number }[]>;
  queryRange(
    expr: string,
    range: { fromSeconds: number; toSeconds: number; stepSeconds: number },
  ): Promise<Series[]>;
  alerts(): Promise<Alert[]>;
  rules(): Promise<RuleState[]>;
};

export function createPrometheusApi(url: string): PrometheusApi {
  async function ask<T>(path: string, parameters: Record<string, string> = {}): Promise<T> {
    const asked = new URLSearchParams(parameters).toString();
    const answer = await fetch(`${url}/api/v1/${path}?${asked}`, {
      signal: AbortSignal.timeout(30_000),
    });
    const body = (await answer.json()) as { status: string; data: T; error?: string };
    if (body.status !== 'success') throw new Error(`${path}: ${body.error}`);
    return body.data;
  }

  return {
    async query(expr) {
      const { result } = await ask<{ result: Vector[] }>('query', { query: expr });
      return result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
    },
    async queryRange(expr, { fromSeconds, toSeconds, stepSeconds }) {
      const { result } = await ask<{ result: Matrix[] }>('query_range', {
        query: expr,
        start: String(fromSeconds),
        end: String(toSeconds),
        step: String(stepSeconds),
      });
      return result.map(({ metric, values }) => ({
        labels: metric,
        points: values.map(([at, value]) => ({ at, value: Number(value) })),
      }));
    },
    async alerts() {
      const { alerts } = await ask<{ alerts: Omit<Alert, 'name'>[] }>('alerts');
      return alerts.map((alert) => ({ ...alert, name: alert.labels['alertname'] ?? '' }));
    },
    async rules() {
      const { groups } = await ask<{ groups: { rules: RuleState[] }[] }>('rules');
      return groups.flatMap(({ rules }) => rules);
    },
  };
}

type Vector = { metric: Labels; value: [number, string] };
type Matrix = { metric: Labels; values: [number, string][] };
