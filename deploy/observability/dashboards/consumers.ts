import { type Definition, quantileBy, rateBy } from './panel.ts';

/** How far everybody is with the log, and the processes and connections that work on it. */
export const consumers: Definition = {
  uid: 'tributary-consumers',
  title: 'Tributary: consumers',
  description: 'Lag, stopped partitions, generations, outboxes, connections and processes.',
  rows: [
    {
      title: 'The log',
      panels: [
        {
          title: 'Lag',
          description:
            'Records that are not applied, of consumers of the live generation and those that have ' +
            'none.',
          unit: 'short',
          queries: [
            {
              expr: 'max by (group, topic) (tributary_consumer_lag{live="true"})',
              legend: '{{group}} {{topic}}',
            },
          ],
        },
        {
          title: 'Applied',
          description: 'Records a second, by group.',
          unit: 'ops',
          queries: [
            {
              expr: rateBy(['group'], 'tributary_consumer_delay_seconds_count'),
              legend: '{{group}}',
            },
          ],
        },
        {
          title: 'From append to applied, p95',
          description: 'By group, from the time of the brokers until the commit.',
          unit: 's',
          queries: [
            {
              expr: quantileBy(['group'], {
                quantile: 0.95,
                histogram: 'tributary_consumer_delay_seconds',
              }),
              legend: '{{group}}',
            },
          ],
        },
        {
          title: 'Stopped partitions',
          description: 'Not read further until somebody repairs them.',
          unit: 'short',
          queries: [
            {
              expr: 'max by (group, topic) (tributary_consumer_stopped_partitions{live="true"})',
              legend: '{{group}} {{topic}}',
            },
          ],
        },
        {
          title: 'Lag of generations that are not live',
          description: 'While one is built, and of the previous one until it is dropped.',
          unit: 'short',
          queries: [
            {
              expr: 'max by (service, generation) (tributary_consumer_lag{live="false"})',
              legend: '{{service}} {{generation}}',
              emptyBecause: 'there is one generation, and it is live',
            },
          ],
        },
        {
          title: 'Dead letters and jobs',
          description: 'Records put aside, and replay jobs that wait or run.',
          unit: 'short',
          queries: [
            { expr: 'max(tributary_dead_letters_open)', legend: 'dead letters' },
            { expr: 'max(tributary_replay_jobs_open)', legend: 'replay jobs' },
          ],
        },
        {
          title: 'Outboxes: records',
          description: 'Committed and not on the log.',
          unit: 'short',
          queries: [
            {
              expr: 'max by (service, outbox) (tributary_outbox_records)',
              legend: '{{service}} {{outbox}}',
            },
          ],
        },
        {
          title: 'Outboxes: age',
          description: 'Of the oldest record. Above a minute there is an alert.',
          unit: 's',
          queries: [
            {
              expr: 'max by (service, outbox) (tributary_outbox_oldest_seconds)',
              legend: '{{service}} {{outbox}}',
            },
          ],
        },
        {
          title: 'Age of what pages show',
          description: 'Everything that was on the log that long ago is in the read model.',
          unit: 's',
          queries: [
            {
              expr: 'time() - max by (service) (tributary_read_model_as_of_timestamp_seconds > 0)',
              legend: '{{service}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Dependencies',
      panels: [
        {
          title: 'Checks that fail',
          description: 'By service and check; nothing while all pass.',
          unit: 'short',
          queries: [
            {
              expr: 'count by (service, dependency) (tributary_dependency_up == 0)',
              legend: '{{service}} {{dependency}}',
              emptyBecause: 'every check passes',
            },
          ],
        },
        {
          title: 'Checks that pass',
          description: 'Number of them, over all replicas.',
          unit: 'short',
          queries: [{ expr: 'sum by (service) (tributary_dependency_up)', legend: '{{service}}' }],
        },
        {
          title: 'Connections to Postgres in use',
          description: 'Of all replicas, by service and pool.',
          unit: 'short',
          queries: [
            {
              expr: 'sum by (service, pool) (tributary_postgres_pool_connections{state="in-use"})',
              legend: '{{service}} {{pool}}',
            },
          ],
        },
        {
          title: 'Waiting for a connection',
          description: 'For minutes at a time there is an alert.',
          unit: 'short',
          queries: [
            {
              expr: 'sum by (service, pool) (tributary_postgres_pool_waiting)',
              legend: '{{service}} {{pool}}',
            },
          ],
        },
        {
          title: 'Appends that the brokers refused',
          description: 'As a share of all appends of a service.',
          unit: 'percentunit',
          queries: [
            {
              expr:
                '(sum by (service) (rate(tributary_log_append_duration_seconds_count{result="refused"}[$__rate_interval]))' +
                ' or 0 * sum by (service) (rate(tributary_log_append_duration_seconds_count[$__rate_interval])))' +
                ' / sum by (service) (rate(tributary_log_append_duration_seconds_count[$__rate_interval]))',
              legend: '{{service}}',
            },
          ],
        },
        {
          title: 'Webhooks in flight',
          description: 'Being sent by the processes there are, and claimed by all there were.',
          unit: 'short',
          queries: [
            { expr: 'sum(tributary_webhook_in_flight)', legend: 'in flight' },
            { expr: 'max(tributary_webhook_claimed)', legend: 'claimed' },
            { expr: 'max(tributary_webhook_intake_held_back)', legend: 'intake held back' },
          ],
        },
      ],
    },
    {
      title: 'Processes',
      panels: [
        {
          title: 'Processes by version',
          description: 'Two versions for hours: an upgrade was not finished.',
          unit: 'short',
          queries: [
            {
              expr: 'count by (service, version) (tributary_build_info)',
              legend: '{{service}} {{version}}',
            },
          ],
        },
        {
          title: 'CPU',
          description: 'Cores, of all replicas. A process of Node uses hardly more than one.',
          unit: 'short',
          queries: [
            {
              expr: rateBy(['service'], 'process_cpu_seconds_total'),
              legend: '{{service}}',
            },
          ],
        },
        {
          title: 'Memory',
          description: 'Resident, of the largest replica.',
          unit: 'bytes',
          queries: [
            {
              expr: 'max by (service) (process_resident_memory_bytes)',
              legend: '{{service}}',
            },
          ],
        },
        {
          title: 'Lag of the event loop, p99',
          description: 'Of the worst replica. A process with a whole core answers late.',
          unit: 's',
          queries: [
            {
              expr: 'max by (service) (nodejs_eventloop_lag_p99_seconds)',
              legend: '{{service}}',
            },
          ],
        },
        {
          title: 'Heap',
          description: 'Used, of the largest replica.',
          unit: 'bytes',
          queries: [
            {
              expr: 'max by (service) (nodejs_heap_size_used_bytes)',
              legend: '{{service}}',
            },
          ],
        },
        {
          title: 'Streams of changes to pages',
          description: 'Open ones, of all replicas of the portal.',
          unit: 'short',
          queries: [{ expr: 'sum(tributary_portal_change_streams)', legend: 'open' }],
        },
      ],
    },
  ],
};
