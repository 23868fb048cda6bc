import { LegendDisplayMode, VizLegendOptionsBuilder } from '@grafana/grafana-foundation-sdk/common';
import {
  DashboardBuilder,
  DashboardCursorSync,
  DatasourceVariableBuilder,
  type Dashboard,
  RowBuilder,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import type { Definition, Panel } from './panel.ts';

/** Whoever looks chooses which of their Prometheus servers is asked. */
const source = { type: 'prometheus', uid: '${source}' };

/** A dashboard as Grafana imports it. Three panels in a row, each with the range of all. */
export function buildDashboard({ uid, title, description, rows }: Definition): Dashboard {
  const dashboard = new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags(['tributary'])
    .time({ from: 'now-1h', to: 'now' })
    .timezone('browser')
    .refresh('30s')
    .tooltip(DashboardCursorSync.Crosshair)
    .withVariable(new DatasourceVariableBuilder('source').label('Prometheus').type('prometheus'));
  let id = 0;
  for (const row of rows) {
    dashboard.withRow(new RowBuilder(row.title).id((id += 1)));
    for (const panel of row.panels) dashboard.withPanel(buildPanel(panel).id((id += 1)));
  }
  return dashboard.build();
}

function buildPanel({ title, description, unit, queries }: Panel): PanelBuilder {
  const panel = new PanelBuilder()
    .title(title)
    .description(description)
    .datasource(source)
    .unit(unit)
    .span(8)
    .height(8)
    .lineWidth(1)
    .fillOpacity(10)
    .legend(new VizLegendOptionsBuilder().showLegend(true).displayMode(LegendDisplayMode.List));
  // What is below nothing is a clock that differs.
  if (!queries.some(({ expr }) => expr.includes('skew'))) panel.min(0);
  queries.forEach(({ expr, legend }, i) => {
    const refId = String.fromCharCode('A'.charCodeAt(0) + i);
    panel.withTarget(new DataqueryBuilder().refId(refId).expr(expr).legendFormat(legend).range());
  });
  return panel;
}
