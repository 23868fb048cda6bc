import type { FakeStripe } from '@tributary/testkit/stripe/fake-stripe';
import type { Reporter, Source, SourceSetUp } from './source.ts';
import { setUpStripe } from './stripe.ts';
import { setUpWidget } from './widget.ts';

/** Resolves when these can report. `stripe` is the one that the system asks, if it has one. */
export async function setUpSources(
  sources: readonly Source[],
  setUp: SourceSetUp,
  stripe: FakeStripe | undefined,
): Promise<Reporter[]> {
  const reporters: Reporter[] = [];
  if (sources.includes('widget')) reporters.push(await setUpWidget(setUp));
  if (sources.includes('stripe')) {
    if (stripe === undefined) throw new Error('there is no Stripe to be connected');
    reporters.push(await setUpStripe(setUp, stripe));
  }
  return reporters;
}
