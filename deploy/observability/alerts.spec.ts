import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { prometheusProgram } from '@tributary/native-servers/prometheus';
import { expect } from 'chai';
import { parse } from 'yaml';
import { documentedMetrics } from './documented-metrics.ts';
import { usesOf } from './promql.ts';

type Rule = {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook_url: string };
};
type Rules = { groups: { name: string; rules: Rule[] }[] };
type Check = { expr: string; exp_samples: object[] };
type Tests = { tests: { name: string; promql_expr_test: Check[] }[] };

const here = fileURLToPath(new URL('.', import.meta.url));
const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');

describe('the alerts', function () {
  this.timeout(60_000);
  const { groups } = parse(read('alerts.yaml')) as Rules;
  const rules = groups.flatMap((group) => group.rules);
  const testFiles = ['alerts.test.yaml', 'alerts-over-days.test.yaml'];
  const tests = testFiles.flatMap((file) => (parse(read(file)) as Tests).tests);
  const documented = documentedMetrics();

  function promtool(...args: string[]): string {
    const run = spawnSync(prometheusProgram('promtool'), args, { cwd: here, encoding: 'utf8' });
    const output = `${run.stdout}${run.stderr}`;
    expect(run.status, output).to.equal(0);
    return output;
  }

  it('are rules that Prometheus takes', () => {
    expect(promtool('check', 'rules', 'alerts.yaml')).to.match(
      new RegExp(`SUCCESS: ${rules.length} rules found`),
    );
  });

  it('fire, and are silent in the nearest healthy case, as promtool sees it', () => {
    promtool('test', 'rules', ...testFiles);
  });

  it('are each tried both ways', () => {
    for (const { alert, labels } of rules) {
      const own = tests.filter(({ name }) => name.startsWith(`${alert} `));
      const firing = own.filter(({ name }) => name.startsWith(`${alert} fires `));
      const asked = firing.flatMap((test) => test.promql_expr_test);
      const isExpected = asked.some(
        ({ expr, exp_samples: samples }) =>
          expr.includes(`"${alert}"`) && JSON.stringify(samples).includes(labels.severity),
      );
      expect(isExpected, `${alert} ${labels.severity} fires`).to.equal(true);
      const silent = own.filter(({ name }) => name.startsWith(`${alert} is silent `));
      expect(silent, `${alert} is silent`).to.not.have.length(0);
      for (const test of silent) {
        for (const { expr, exp_samples: samples } of test.promql_expr_test) {
          expect(expr, test.name).to.include(`"${alert}"`);
          expect(samples, test.name).to.deep.equal([]);
        }
      }
    }
  });

  for (const { alert, labels, expr, annotations } of rules) {
    const { summary, description, runbook_url: runbook } = annotations;

    it(`${alert} (${labels.severity}) names only metrics and labels that there are`, () => {
      const texts = `${summary} ${description}`;
      const shown = [...texts.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label!);
      expect(usesOf(expr).unknownTo(documented, shown)).to.deep.equal([]);
    });

    it(`${alert} (${labels.severity}) says how bad it is, what to do first, and which runbook has the rest`, async () => {
      expect(labels.severity).to.be.oneOf(['critical', 'warning']);
      expect(`${description} `).to.match(
        /Look first|Tell the|Repair the|Replace it|has (the error|a line)/,
      );
      const page = new URL(`../..${runbook}.md`, import.meta.url);
      expect(existsSync(page), runbook).to.equal(true);
      expect(readFileSync(page, 'utf8'), 'the page names the alert').to.include(`\`${alert}\``);
    });
  }

  it('are all in the index of the runbooks', () => {
    const index = readFileSync(new URL('../../docs/runbooks/README.md', import.meta.url), 'utf8');
    for (const { alert } of rules) expect(index).to.include(`\`${alert}\``);
  });
});
