import type { WidgetSession } from '@tributary/contracts/public/widget-session';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Language } from '../language.ts';
import { Icon } from './icons.tsx';

type CreditsProps = { language: Language; credits: WidgetSession['credits'] };

/**
 * What is the user's, what is still to come, and what they were granted and then lost. The last is
 * shown only to those whom it concerns.
 */
export function Credits({ language, credits }: CreditsProps) {
  const { text, number } = language;
  const { earned, held, toOffset } = known(credits);
  // An entry of an earlier release, whose own panel is gone, has no words for it.
  const owes = Number(toOffset) > 0 && 'credits.toOffset' in language.all();
  const news = useNews(language, earned);
  const id = useId();
  return (
    <section class="section" aria-labelledby={id}>
      <h3 class="section-title" id={id}>
        {text('credits.title')}
      </h3>
      <dl class="credits">
        <div class="credit issued">
          <dt>
            <Icon name="gift" />
            {text('credits.issued')}
          </dt>
          <dd>{number(earned)}</dd>
        </div>
        <div class="credit">
          <dt>
            <Icon name="clock" />
            {text('credits.held')}
          </dt>
          <dd>{number(held)}</dd>
        </div>
        {owes && (
          <div class="credit to-offset">
            <dt>
              <Icon name="undo" />
              {text('credits.toOffset')}
            </dt>
            <dd>{number(toOffset)}</dd>
          </div>
        )}
      </dl>
      {Number(held) > 0 && <p class="hint">{text('credits.heldText')}</p>}
      {owes && <p class="hint">{text('credits.toOffsetText')}</p>}
      <p class="unseen" role="status">
        {news}
      </p>
    </section>
  );
}

/**
 * A service of an earlier release, which may answer during a deployment, tells only of `issued`.
 */
function known(credits: Partial<CreditsProps['credits']>) {
  const { issued = '0', earned = issued, held = '0', toOffset = '0' } = credits;
  return { earned, held, toOffset };
}

/** Said when credits come in, or are taken back, while the panel is open, and not when it opens. */
function useNews(language: Language, earned: string): string {
  const known = useRef(earned);
  const [news, setNews] = useState('');
  useEffect(() => {
    if (known.current === earned) return;
    known.current = earned;
    setNews(language.text('credits.news', { credits: language.number(earned) }));
  }, [language, earned]);
  return news;
}
