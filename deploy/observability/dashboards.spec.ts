import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { buildDashboard } from './dashboards/build-dashboard.ts';
import { consumers } from './dashboards/consumers.ts';
import { flow } from './dashboards/flow.ts';
import { documentedMetrics } from './documented-metrics.ts';
import { usesOf } from './promql.ts';

describe('the dashboards', () => {
  const documented = documentedMetrics();

  for (const definition of [flow, consumers]) {
    const panels = definition.rows.flatMap(({ panels: own }) => own);

    it(`${definition.uid}.json is what its table says; else run: node deploy/observability/generate-dashboards.ts`, () => {
      const file = new URL(`dashboards/${definition.uid}.json`, import.meta.url);
      const built: unknown = JSON.parse(JSON.stringify(buildDashboard(definition)));
      expect(JSON.parse(readFileSync(file, 'utf8'))).to.deep.equal(built);
    });

    it(`${definition.uid} names only metrics and labels that there are`, () => {
      for (const { title, queries } of panels) {
        for (const { expr, legend } of queries) {
          const shown = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!);
          expect(usesOf(expr).unknownTo(documented, shown), title).to.deep.equal([]);
        }
      }
    });

    it(`${definition.uid} has titles of their own, and says what each panel shows`, () => {
      const titles = panels.map(({ title }) => title);
      expect(new Set(titles).size).to.equal(titles.length);
      for (const { title, description } of panels) expect(description, title).to.match(/\.$/);
    });
  }

  it('show gauges by max or sum as docs/metrics.md says', () => {
    const queries = [flow, consumers].flatMap(({ rows }) =>
      rows.flatMap(({ panels }) => panels.flatMap((panel) => panel.queries)),
    );
    for (const { expr } of queries) {
      for (const [, how, name] of expr.matchAll(
        /\b(max|sum)(?: by \([^)]*\))? \((tributary_\w+)/g,
      )) {
        const over = documented.get(name!)?.over;
        if (over !== undefined) expect(over === 'min' ? 'sum' : over, expr).to.equal(how);
      }
    }
  });
});
