import { type Static, Type } from '@sinclair/typebox';
import { generationsVariables, onlyGenerationVariable } from '@tributary/generations/variables';
import {
  groupVariable,
  parseKey,
  postgresSettings,
  postgresVariables,
  publicServiceSettings,
  publicServiceVariables,
  readModelSettings,
  readModelVariables,
  uccVariable,
} from '@tributary/runtime/variables';
import { productSecretRing, readKeyRing } from '@tributary/runtime/key-rings';
import type { WidgetServiceSettings } from './app.ts';

/**
 * The read model is not what it was under the name `widget`. Under a name of its own it is built
 * beside that one, which processes of the earlier release go on with until the last of them is
 * replaced.
 */
const schema = 'widget_r2';
const group = 'widget-r2';

/** The variables of this service; the keys are their names. */
export const WidgetConfig = Type.Object({
  ...publicServiceVariables,
  ...postgresVariables,
  ...readModelVariables,
  /** The schema of the first generation; the second's is `widget_r2_g2`, and so on. */
  TRIBUTARY_POSTGRES_SCHEMA: { ...postgresVariables.TRIBUTARY_POSTGRES_SCHEMA, default: schema },
  /** The group of the first generation; the second's is `widget-r2-g2`. */
  TRIBUTARY_CONSUMER_GROUP: { ...groupVariable.TRIBUTARY_CONSUMER_GROUP, default: group },
  ...generationsVariables,
  ...onlyGenerationVariable,
  ...productSecretRing,
  ...uccVariable,
  /** How many requests of `/widget/…` each process takes of one address. */
  TRIBUTARY_WIDGET_REQUESTS_PER_SECOND: Type.Number({
    default: 200,
    minimum: 0.1,
    maximum: 1_000_000,
  }),
  /** How often one user may boot the widget: a boot may write to the log. */
  TRIBUTARY_WIDGET_BOOTS_PER_MINUTE: Type.Number({ default: 120, minimum: 1, maximum: 1_000_000 }),
  /** From append to refusal; keep it well below the 5 seconds that a browser waits. */
  TRIBUTARY_APPEND_DEADLINE_MS: Type.Integer({ default: 3_000, minimum: 1_000, maximum: 20_000 }),
});
export type WidgetConfig = Static<typeof WidgetConfig>;

export function widgetSettings(config: WidgetConfig): WidgetServiceSettings {
  return {
    ...publicServiceSettings(config),
    postgres: readModelSettings(config),
    registryPostgres: postgresSettings(config),
    group: config.TRIBUTARY_CONSUMER_GROUP,
    generationsSchema: config.TRIBUTARY_GENERATIONS_SCHEMA,
    onlyGeneration: config.TRIBUTARY_GENERATION,
    secrets: readKeyRing(
      config.TRIBUTARY_PRODUCT_SECRET_KEY_RING,
      config.TRIBUTARY_SECRET_KEY_RING,
    ),
    uccKey: parseKey(config.TRIBUTARY_UCC_KEY),
    requestsPerSecond: config.TRIBUTARY_WIDGET_REQUESTS_PER_SECOND,
    bootsPerMinute: config.TRIBUTARY_WIDGET_BOOTS_PER_MINUTE,
    appendDeadlineMs: config.TRIBUTARY_APPEND_DEADLINE_MS,
  };
}
