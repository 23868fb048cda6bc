/** A configuration of Prometheus that asks every process of a deployment for its metrics. */
export function prometheusConfig(options: {
  /** `host:port` of the internal listener (`TRIBUTARY_ADMIN_PORT`) of every process. */
  targets: readonly string[];
  intervalSeconds: number;
  /** Files of rules, relative to the configuration's own directory. */
  ruleFiles?: readonly string[];
}): string {
  const { targets, intervalSeconds, ruleFiles = [] } = options;
  const interval = `${intervalSeconds}s`;
  // JSON is YAML, too.
  const config = {
    global: { scrape_interval: interval, evaluation_interval: interval },
    rule_files: ruleFiles,
    scrape_configs: [{ job_name: 'tributary', static_configs: [{ targets }] }],
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
