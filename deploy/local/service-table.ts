import { AttributionConfig } from '../../services/attribution/src/config.ts';
import { IngestApiConfig } from '../../services/ingest-api/src/config.ts';
import { LegacyEventsConfig } from '../../services/legacy-events/src/config.ts';
import { PortalConfig } from '../../services/portal/src/config.ts';
import { ProcessorEventsConfig } from '../../services/processor-events/src/config.ts';
import { ReplayConfig } from '../../services/replay/src/config.ts';
import { RewardsConfig } from '../../services/rewards/src/config.ts';
import { WebhookDispatcherConfig } from '../../services/webhook-dispatcher/src/config.ts';
import { WidgetConfig } from '../../services/widget/src/config.ts';
import type { PortName } from './ports.ts';

/** Every service in order of the flow, with its schema of variables and its ports. */
export const serviceTable = [
  { name: 'ingest-api', schema: IngestApiConfig, port: 'ingestApi', adminPort: 'ingestApiAdmin' },
  {
    name: 'legacy-events',
    schema: LegacyEventsConfig,
    port: 'legacyEvents',
    adminPort: 'legacyEventsAdmin',
  },
  {
    name: 'processor-events',
    schema: ProcessorEventsConfig,
    port: 'processorEvents',
    adminPort: 'processorEventsAdmin',
  },
  { name: 'attribution', schema: AttributionConfig, adminPort: 'attributionAdmin' },
  { name: 'rewards', schema: RewardsConfig, adminPort: 'rewardsAdmin' },
  {
    name: 'webhook-dispatcher',
    schema: WebhookDispatcherConfig,
    adminPort: 'webhookDispatcherAdmin',
  },
  { name: 'replay', schema: ReplayConfig, adminPort: 'replayAdmin' },
  { name: 'widget', schema: WidgetConfig, port: 'widget', adminPort: 'widgetAdmin' },
  { name: 'portal', schema: PortalConfig, port: 'portal', adminPort: 'portalAdmin' },
] as const satisfies readonly ServiceRow[];

export type ServiceName = (typeof serviceTable)[number]['name'];

export type ServiceRow = {
  name: string;
  schema: { properties: Record<string, unknown> };
  /** Only services that the edge leads to. */
  port?: PortName;
  adminPort: PortName;
};
