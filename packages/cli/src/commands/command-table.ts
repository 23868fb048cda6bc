import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { ProcessContext } from '../process-context.ts';

/** Adds what a command has below it, or its options, to the command that the table has made. */
type AddCommands = (
  program: Command,
  context: CommandContext,
  processContext: ProcessContext,
) => void;

export type TableEntry = {
  name: string;
  description: string;
  load: () => Promise<readonly AddCommands[]>;
};

/**
 * The commands directly below `tributary`, in the order of its help. Only what a command line names
 * is loaded: reading all of them takes longer than most requests.
 */
export const commandTable: readonly TableEntry[] = [
  {
    name: 'people',
    description: 'people of a tenant, and their roles',
    load: async () => [(await import('./people.ts')).addPeopleCommands],
  },
  {
    name: 'operator',
    description: 'operators of the deployment',
    load: async () => [(await import('./people.ts')).addOperatorCommands],
  },
  {
    name: 'token',
    description: 'API tokens for machines',
    load: async () => [(await import('./token.ts')).addTokenCommands],
  },
  {
    name: 'approval',
    description: 'changes that wait for a second person',
    load: async () => [(await import('./approval.ts')).addApprovalCommands],
  },
  {
    name: 'audit',
    description: 'who did what, when and from where',
    load: async () => [(await import('./audit.ts')).addAuditCommand],
  },
  {
    name: 'tenant',
    description: 'tenants: each is one product of one customer',
    load: async () => [(await import('./tenant.ts')).addTenantCommands],
  },
  {
    name: 'access-key',
    description: 'key pairs for POST /token',
    load: async () => [(await import('./access-key.ts')).addAccessKeyCommands],
  },
  {
    name: 'product-secret',
    description: "the secret a customer's server signs widget tokens with",
    load: async () => [(await import('./product-secret.ts')).addProductSecretCommands],
  },
  {
    name: 'campaign',
    description: 'what is rewarded, and how',
    load: async () => [
      (await import('./campaign.ts')).addCampaignCommands,
      (await import('./campaign-try.ts')).addCampaignTryCommand,
    ],
  },
  {
    name: 'code',
    description: 'referral codes (UCC)',
    load: async () => [(await import('./code.ts')).addCodeCommands],
  },
  {
    name: 'reward',
    description: 'rewards, and those that wait for an operator',
    load: async () => [
      (await import('./reward.ts')).addRewardCommands,
      (await import('./reward-list.ts')).addRewardListCommand,
    ],
  },
  {
    name: 'event',
    description: 'events, the decisions on them, and sending your own',
    load: async () => [
      (await import('./event.ts')).addEventCommands,
      (await import('./event-send.ts')).addEventSendCommand,
    ],
  },
  {
    name: 'tail',
    description: "follows a tenant's events live: request, decision, reward, webhook",
    load: async () => [(await import('./tail.ts')).addTailCommand],
  },
  {
    name: 'explain',
    description:
      'explains an event in plain sentences: fact, decision, rewards, ledger, deliveries',
    load: async () => [(await import('./explain.ts')).addExplainCommand],
  },
  {
    name: 'balance',
    description:
      'what a recipient has, or what a campaign costs; below zero, the recipient owes it',
    load: async () => [(await import('./balance.ts')).addBalanceCommand],
  },
  {
    name: 'person',
    description: 'personal data',
    load: async () => [(await import('./person.ts')).addPersonCommands],
  },
  {
    name: 'webhook',
    description: 'where rewards are delivered',
    load: async () => [
      (await import('./webhook.ts')).addWebhookCommands,
      (await import('./webhook-operation.ts')).addWebhookOperationCommands,
      (await import('./webhook-recover.ts')).addWebhookRecoverCommand,
      (await import('./webhook-verify.ts')).addWebhookVerifyCommand,
    ],
  },
  {
    name: 'delivery',
    description: 'webhooks that were sent, are waiting or were given up',
    load: async () => [(await import('./delivery.ts')).addDeliveryCommands],
  },
  {
    name: 'domain',
    description: 'domains of the public pages with the attribution script',
    load: async () => [(await import('./domain.ts')).addDomainCommands],
  },
  {
    name: 'widget',
    description: 'how the widget looks, and what the browser scripts reveal',
    load: async () => [(await import('./widget.ts')).addWidgetCommands],
  },
  {
    name: 'processor',
    description: 'connections to Stripe accounts, whose payments become events',
    load: async () => [
      (await import('./processor.ts')).addProcessorCommands,
      (await import('./processor-operation.ts')).addProcessorOperationCommands,
      (await import('./processor-items.ts')).addProcessorItemCommands,
      (await import('./processor-reconcile.ts')).addProcessorReconcileCommand,
    ],
  },
  {
    name: 'replay',
    description: 'recomputes from the whole log: verify, preview a change, rebuild',
    load: async () => [
      (await import('./replay.ts')).addReplayCommands,
      (await import('./replay-preview.ts')).addReplayPreviewCommands,
      (await import('./replay-jobs.ts')).addReplayJobCommands,
      (await import('./replay-generations.ts')).addReplayGenerationCommands,
    ],
  },
  {
    name: 'dead-letters',
    description: 'records that break their contract and were set aside',
    load: async () => [(await import('./dead-letters.ts')).addDeadLetterCommands],
  },
  {
    name: 'keys',
    description: 'the keys that seal secrets and sign tokens',
    load: async () => [(await import('./keys.ts')).addKeyCommands],
  },
  {
    name: 'topics',
    description: 'the topics of the log, as the brokers have them',
    load: async () => [(await import('./topics.ts')).addTopicsCommands],
  },
  {
    name: 'export',
    description: 'writes the events and the catalog of the log to compressed NDJSON files',
    load: async () => [(await import('./export.ts')).addExportCommand],
  },
  {
    name: 'import',
    description: 'appends an export to the log of an empty deployment',
    load: async () => [(await import('./import.ts')).addImportCommand],
  },
  {
    name: 'completion',
    description: 'prints a completion script for your shell',
    load: async () => [(await import('./completion.ts')).addCompletionCommand],
  },
];
