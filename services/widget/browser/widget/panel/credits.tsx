import type { WidgetSession } from '@tributary/contracts/widget-session';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Language } from '../language.ts';
import { Icon } from './icons.tsx';

type CreditsProps = { language: Language; credits: WidgetSession['credits'] };

/** What the user has got, and what they are entitled to and have not got yet. */
export function Credits({ language, credits }: CreditsProps) {
  const { text, number } = language;
  const news = useNews(language, credits.issued);
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
          <dd>{number(credits.issued)}</dd>
        </div>
        <div class="credit">
          <dt>
            <Icon name="clock" />
            {text('credits.held')}
          </dt>
          <dd>{number(credits.held)}</dd>
        </div>
      </dl>
      {Number(credits.held) > 0 && <p class="hint">{text('credits.heldText')}</p>}
      <p class="unseen" role="status">
        {news}
      </p>
    </section>
  );
}

/** Said when credits come in while the panel is open, and not when it opens. */
function useNews(language: Language, issued: string): string {
  const known = useRef(issued);
  const [news, setNews] = useState('');
  useEffect(() => {
    if (known.current === issued) return;
    known.current = issued;
    setNews(language.text('credits.news', { credits: language.number(issued) }));
  }, [language, issued]);
  return news;
}
