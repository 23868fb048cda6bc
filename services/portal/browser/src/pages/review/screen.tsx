import { SegmentedControl, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useMay } from '../../api/session.ts';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { PageFrame } from '../../parts/page-frame.tsx';
import { DeadLetters } from './dead-letters.tsx';
import { place } from './place.ts';
import { RewardsToReview } from './rewards-to-review.tsx';
import { reviewTexts } from './texts.ts';
import { UnmatchedPayments } from './unmatched-payments.tsx';
import { WaitingEvents } from './waiting-events.tsx';

const tabs = ['rewards', 'events', 'payments', 'dead-letters'] as const;

/** All that waits for a person, or for something that has not come, the oldest first. */
export function Screen() {
  const t = useTexts(reviewTexts);
  const { tenantId, search, setSearch } = usePlace(place);
  const seesDeadLetters = useMay(tenantId, 'deployment');
  const tab = search.tab ?? 'rewards';
  const isNarrow = useMediaQuery('(max-width: 36em)');
  const shown = tabs.filter((each) => each !== 'dead-letters' || seesDeadLetters);
  return (
    <PageFrame title={t.title}>
      <SegmentedControl
        // Beside one another some of them would be cut off.
        orientation={isNarrow ? 'vertical' : 'horizontal'}
        style={{ alignSelf: 'flex-start' }}
        transitionDuration={0}
        value={tab}
        onChange={(value) => setSearch({ tab: value, open: undefined })}
        data={shown.map((value) => ({ value, label: t.tabs[value] }))}
      />
      <Text size="sm" c="dimmed">
        {t.oldestFirst}
      </Text>
      {tab === 'rewards' && <RewardsToReview />}
      {tab === 'events' && <WaitingEvents />}
      {tab === 'payments' && <UnmatchedPayments />}
      {tab === 'dead-letters' && seesDeadLetters && <DeadLetters />}
    </PageFrame>
  );
}
