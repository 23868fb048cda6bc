import { type Definition, quantileBy, quantiles, rateBy } from './panel.ts';

/** From a request to a webhook, in the order of the flow: how much, how fast, what fails. */
export const flow: Definition = {
  uid: 'tributary-flow',
  title: 'Tributary: from event to webhook',
  description: 'How much is accepted, decided, rewarded and delivered, how late, and what fails.',
  rows: [
    {
      title: 'At a glance',
      panels: [
        {
          title: 'Through the chain',
          description:
            'What enters each step. The steps differ by what gives no reward, and by holds.',
          unit: 'ops',
          queries: [
            {
              expr: 'sum(rate(tributary_http_requests_total{route="event", status="202"}[$__rate_interval]))',
              legend: 'accepted',
            },
            {
              expr: 'sum(rate(tributary_attribution_decisions_total[$__rate_interval]))',
              legend: 'decided',
            },
            {
              expr: 'sum(rate(tributary_rewards_issuances_total[$__rate_interval]))',
              legend: 'issued',
            },
            {
              expr: 'sum(rate(tributary_webhook_attempts_total{delivered="true"}[$__rate_interval]))',
              legend: 'delivered',
            },
          ],
        },
        {
          title: 'Delay of each step, p95',
          description:
            'Decision and reward from the receipt of the event; the webhook from the issuance, so ' +
            'that holds do not count.',
          unit: 's',
          queries: [
            {
              expr: quantileBy([], {
                quantile: 0.95,
                histogram: 'tributary_http_request_duration_seconds',
                selector: '{route="event"}',
              }),
              legend: 'answer',
            },
            {
              expr: quantileBy([], {
                quantile: 0.95,
                histogram: 'tributary_attribution_decision_delay_seconds',
              }),
              legend: 'decision',
            },
            {
              expr: quantileBy([], {
                quantile: 0.95,
                histogram: 'tributary_rewards_reward_delay_seconds',
              }),
              legend: 'reward',
            },
            {
              expr: quantileBy([], {
                quantile: 0.95,
                histogram: 'tributary_webhook_delivery_delay_seconds',
              }),
              legend: 'webhook',
            },
          ],
        },
        {
          title: 'Share of 5xx, by service',
          description: 'Callers repeat these requests. Above 5 % of the events there is an alert.',
          unit: 'percentunit',
          queries: [
            {
              expr:
                '(sum by (service) (rate(tributary_http_requests_total{status=~"5.."}[$__rate_interval]))' +
                ' or 0 * sum by (service) (rate(tributary_http_requests_total[$__rate_interval])))' +
                ' / sum by (service) (rate(tributary_http_requests_total[$__rate_interval]))',
              legend: '{{service}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Edge',
      panels: [
        {
          title: 'Answers as callers got them',
          description: 'By status, and by who gave them: a service, or the edge for it.',
          unit: 'reqps',
          queries: [
            {
              expr: rateBy(['by', 'status'], 'tributary_edge_requests_total'),
              legend: '{{by}} {{status}}',
            },
          ],
        },
        {
          title: 'Share of 5xx of the edge itself',
          description:
            'By the service that did not get these requests. Above 5 % there is an alert.',
          unit: 'percentunit',
          queries: [
            {
              expr:
                '(sum by (route) (rate(tributary_edge_requests_total{by="edge", status=~"5.."}[$__rate_interval]))' +
                ' or 0 * sum by (route) (rate(tributary_edge_requests_total[$__rate_interval])))' +
                ' / sum by (route) (rate(tributary_edge_requests_total[$__rate_interval]))',
              legend: '{{route}}',
            },
          ],
        },
        {
          title: 'Time at the edge, p95',
          description: 'To the last byte of the answer, by the service that the path leads to.',
          unit: 's',
          queries: [
            {
              expr: quantileBy(['route'], {
                quantile: 0.95,
                histogram: 'tributary_edge_request_duration_seconds',
              }),
              legend: '{{route}}',
            },
          ],
        },
        {
          title: 'Connections of callers',
          description: 'Open ones, by what they do.',
          unit: 'short',
          queries: [{ expr: 'sum by (state) (tributary_edge_connections)', legend: '{{state}}' }],
        },
        {
          title: 'Connections and lines lost',
          description: 'Dropped for want of room, and requests that were answered and not counted.',
          unit: 'ops',
          queries: [
            {
              expr:
                'sum(rate(tributary_edge_connections_accepted_total[$__rate_interval]))' +
                ' - sum(rate(tributary_edge_connections_handled_total[$__rate_interval]))',
              legend: 'connections dropped',
            },
            {
              expr:
                'sum(rate(tributary_edge_requests_read_total[$__rate_interval]))' +
                ' - sum(rate(tributary_edge_requests_total[$__rate_interval]))',
              legend: 'requests not counted',
            },
          ],
        },
      ],
    },
    {
      title: 'Accept',
      panels: [
        {
          title: 'Events by answer',
          description: 'Every answer to an event, by status.',
          unit: 'reqps',
          queries: [
            {
              expr: rateBy(['service', 'status'], 'tributary_http_requests_total{route="event"}'),
              legend: '{{service}} {{status}}',
            },
          ],
        },
        {
          title: 'Answer to an event',
          description: 'From the request line to the end of the answer, of all replicas.',
          unit: 's',
          queries: quantiles('tributary_http_request_duration_seconds', '{route="event"}'),
        },
        {
          title: 'Outcome and idempotency key',
          description: 'Valid events by what became of them, and what their key turned out to be.',
          unit: 'ops',
          queries: [
            {
              expr: rateBy(['outcome', 'idempotency'], 'tributary_ingest_accepts_total'),
              legend: '{{outcome}} {{idempotency}}',
            },
          ],
        },
        {
          title: 'Append to the log',
          description: 'Until the brokers have acknowledged all records of a call, by service.',
          unit: 's',
          queries: [
            {
              expr: quantileBy(['service'], {
                quantile: 0.99,
                histogram: 'tributary_log_append_duration_seconds',
              }),
              legend: '{{service}} p99',
            },
          ],
        },
        {
          title: 'Events that wait for their answer',
          description:
            'In all replicas. At 800 in one of them, it refuses (TRIBUTARY_EVENTS_AT_ONCE).',
          unit: 'short',
          queries: [{ expr: 'sum(tributary_ingest_events_waiting)', legend: 'waiting' }],
        },
        {
          title: 'Refused by a limit',
          description: 'Overload, the limits of a tenant, and those of an address or a user.',
          unit: 'ops',
          queries: [
            {
              expr: rateBy(['service', 'reason'], 'tributary_events_refused_total'),
              legend: '{{service}} {{reason}}',
              emptyBecause: 'a reason has a line from its first refusal on',
            },
            {
              expr: rateBy(['service', 'limit'], 'tributary_requests_limited_total'),
              legend: '{{service}} {{limit}}',
              emptyBecause: 'a limit has a line from its first refusal on',
            },
          ],
        },
        {
          title: 'Store of idempotency keys',
          description: 'Parts of it, in Redis. Keyed events of a part that is not usable get 503.',
          unit: 'short',
          queries: [
            {
              expr: 'max by (state) (tributary_idempotency_parts)',
              legend: '{{state}}',
            },
          ],
        },
        {
          title: 'Sessions of the widget',
          description: 'Asked for with a good token, by outcome.',
          unit: 'ops',
          queries: [
            {
              expr: rateBy(['outcome'], 'tributary_widget_sessions_total'),
              legend: '{{outcome}}',
            },
          ],
        },
        {
          title: 'Events of Stripe',
          description: 'By what became of the request.',
          unit: 'ops',
          queries: [
            {
              expr: rateBy(['result'], 'tributary_processor_events_received_total'),
              legend: '{{result}}',
              emptyBecause: 'there is no connection to Stripe',
            },
          ],
        },
      ],
    },
    {
      title: 'Decide and reward',
      panels: [
        {
          title: 'Decisions',
          description: 'New versions of decisions by what was decided, and why.',
          unit: 'ops',
          queries: [
            {
              expr: rateBy(['outcome', 'reason'], 'tributary_attribution_decisions_total'),
              legend: '{{outcome}} {{reason}}',
            },
          ],
        },
        {
          title: 'From receipt to decision',
          description: 'Until the first decision about an event was committed, live generation.',
          unit: 's',
          queries: quantiles('tributary_attribution_decision_delay_seconds'),
        },
        {
          title: 'Time to apply a batch, p95',
          description: 'Without its commit, by what is read.',
          unit: 's',
          queries: [
            {
              expr: quantileBy(['source'], {
                quantile: 0.95,
                histogram: 'tributary_attribution_batch_duration_seconds',
              }),
              legend: '{{source}}',
            },
          ],
        },
        {
          title: 'Rewards by state',
          description: 'New versions of entitlements by the state they came to, and issuances.',
          unit: 'ops',
          queries: [
            {
              expr: rateBy(['state'], 'tributary_rewards_entitlement_changes_total'),
              legend: '{{state}}',
            },
          ],
        },
        {
          title: 'From receipt to reward',
          description: 'Until a reward for an event was committed first, live generation.',
          unit: 's',
          queries: quantiles('tributary_rewards_reward_delay_seconds'),
        },
        {
          title: 'Waiting for something else',
          description: 'For a code, for a campaign, for an operator. These are no mistakes.',
          unit: 'short',
          queries: [
            { expr: 'max(tributary_attribution_decisions_waiting)', legend: 'for a code' },
            { expr: 'max(tributary_rewards_decisions_waiting)', legend: 'for a campaign' },
            { expr: 'max(tributary_rewards_in_review)', legend: 'for a review' },
            { expr: 'max(tributary_rewards_recipients_due)', legend: 'for a release' },
            {
              expr: 'max(tributary_attribution_recompute_jobs_pending)',
              legend: 'changes to work through',
            },
          ],
        },
        {
          title: 'Failed folds and releases',
          description: 'Users and recipients whose fold or release failed; it is tried again.',
          unit: 'short',
          queries: [
            { expr: 'max(tributary_attribution_decisions_undecided)', legend: 'decisions' },
            { expr: 'max(tributary_rewards_recipients_undecided)', legend: 'rewards' },
            { expr: 'max(tributary_rewards_recipients_failing)', legend: 'releases' },
          ],
        },
        {
          title: 'Ledger',
          description: 'Recipients whose ledger was not balanced at the last check of all.',
          unit: 'short',
          queries: [
            {
              expr: 'max(tributary_rewards_ledger_unbalanced_recipients)',
              legend: 'not balanced',
            },
            { expr: 'max(tributary_rewards_recipients_owing)', legend: 'owe credits' },
          ],
        },
        {
          title: 'Age of the check, and clocks',
          description: 'The ledger is checked hourly. Beyond a minute of skew nothing is released.',
          unit: 's',
          queries: [
            {
              expr: 'time() - max(tributary_rewards_ledger_checked_timestamp_seconds)',
              legend: 'since the check',
            },
            {
              expr: 'max by (against) (tributary_rewards_clock_skew_seconds)',
              legend: 'skew against {{against}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Webhooks',
      panels: [
        {
          title: 'Attempts',
          description: 'By how they ended.',
          unit: 'ops',
          queries: [
            {
              expr: rateBy(['result', 'status_class'], 'tributary_webhook_attempts_total'),
              legend: '{{result}} {{status_class}}',
            },
          ],
        },
        {
          title: 'From issuance to delivery',
          description: 'Until the endpoint has taken it, first rounds only.',
          unit: 's',
          queries: quantiles('tributary_webhook_delivery_delay_seconds'),
        },
        {
          title: 'One exchange with an endpoint',
          description: 'Time of it, whatever its result.',
          unit: 's',
          queries: quantiles('tributary_webhook_attempt_duration_seconds'),
        },
        {
          title: 'Due',
          description: 'And not being sent, by what they wait for. `sendable` waits for its turn.',
          unit: 'short',
          queries: [{ expr: 'max by (class) (tributary_webhook_due)', legend: '{{class}}' }],
        },
        {
          title: 'Oldest due',
          description: 'How long it has waited, by what it waits for.',
          unit: 's',
          queries: [
            {
              expr: 'max by (class) (tributary_webhook_due_oldest_seconds)',
              legend: '{{class}}',
            },
          ],
        },
        {
          title: 'Endpoints',
          description: 'Breakers of active endpoints, and those that nothing reached for days.',
          unit: 'short',
          queries: [
            { expr: 'max by (state) (tributary_webhook_breakers)', legend: '{{state}}' },
            { expr: 'max(tributary_webhook_endpoints_failing)', legend: 'failing' },
          ],
        },
      ],
    },
  ],
};
