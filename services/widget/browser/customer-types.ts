import type { CampaignConfigAnswer } from '@tributary/contracts/public/campaign-config';
import type * as customer from '../../../packages/client/src/browser.ts';
import type { BootOptions } from './widget/boot-options.ts';
import type { WidgetEvents } from './widget/panel-contract.ts';
import type { TributaryWidget } from './widget/tributary.ts';

// What customers compile against (`@tributary/client/browser`) is what the scripts are: the
// compiler refuses this file when one of them changes alone.

type Accepts<Wanted, Given extends Wanted> = Given;

export type Checks = [
  Accepts<customer.TributaryWidget, TributaryWidget>,
  Accepts<BootOptions, customer.BootOptions>,
  Accepts<customer.BootOptions, BootOptions>,
  Accepts<customer.WidgetEvents, WidgetEvents>,
  Accepts<WidgetEvents, customer.WidgetEvents>,
  Accepts<customer.CampaignConfig, NonNullable<CampaignConfigAnswer['campaignConfig']>>,
];
