import type { ReferralState, WidgetSession } from '@tributary/contracts/public/widget-session';
import { useId, useState } from 'preact/hooks';
import type { Language } from '../language.ts';
import type { TextKey } from '../languages/en.ts';
import { Icon } from './icons.tsx';

type Referrals = WidgetSession['referrals'];
type Referral = Referrals['latest'][number];

/** So many are shown before the user asks for all. */
const shownAtFirst = 4;

/** In the order of how far one has come. */
const stateTexts: [ReferralState, TextKey][] = [
  ['purchased', 'referrals.purchased'],
  ['demo-attended', 'referrals.demoAttended'],
  ['signed-up', 'referrals.signedUp'],
  ['refunded', 'referrals.refunded'],
];

export function Referrals({ language, referrals }: { language: Language; referrals: Referrals }) {
  const { text } = language;
  const id = useId();
  return (
    <section class="section" aria-labelledby={id}>
      <h3 class="section-title" id={id}>
        {text('referrals.title')}
        {referrals.total > 0 && (
          <span class="section-note"> {text('referrals.total', { count: referrals.total })}</span>
        )}
      </h3>
      {referrals.total === 0 ? (
        <NobodyYet language={language} />
      ) : (
        <>
          <StateCounts language={language} byState={referrals.byState} />
          <LatestReferrals language={language} referrals={referrals} />
        </>
      )}
    </section>
  );
}

function NobodyYet({ language: { text } }: { language: Language }) {
  return (
    <div class="empty">
      <span class="empty-people">
        <Icon name="people" />
      </span>
      <p class="empty-title">{text('referrals.empty')}</p>
      <p class="hint">{text('referrals.emptyText')}</p>
    </div>
  );
}

/** How many have come how far: a bar to look at, and the same in words. */
function StateCounts({ language, byState }: { language: Language; byState: Referrals['byState'] }) {
  const present = stateTexts.filter(([state]) => byState[state] > 0);
  return (
    <>
      <div class="bar" aria-hidden="true">
        {present.map(([state]) => (
          <span key={state} class={`bar-part ${state}`} style={{ flexGrow: byState[state] }} />
        ))}
      </div>
      <ul class="counts" role="list">
        {present.map(([state, key]) => (
          <li key={state}>
            <span class={`dot ${state}`} />
            {language.text(key)} <strong>{language.number(byState[state])}</strong>
          </li>
        ))}
      </ul>
    </>
  );
}

function LatestReferrals({ language, referrals }: { language: Language; referrals: Referrals }) {
  const { text } = language;
  const [all, showAll] = useState(false);
  const { latest, total } = referrals;
  const shown = all ? latest : latest.slice(0, shownAtFirst);
  return (
    <>
      <ul class="people" role="list">
        {shown.map((referral, index) => (
          <PersonLine key={index} language={language} referral={referral} />
        ))}
      </ul>
      {latest.length > shownAtFirst && (
        <button
          type="button"
          class="button plain"
          aria-expanded={all}
          onClick={() => showAll(!all)}
        >
          {all ? text('referrals.showLess') : text('referrals.showAll', { total: latest.length })}
        </button>
      )}
      {all && latest.length < total && (
        <p class="hint">{text('referrals.latestOnly', { shown: latest.length, total })}</p>
      )}
    </>
  );
}

function PersonLine({ language, referral }: { language: Language; referral: Referral }) {
  const { name, state, at } = referral;
  const key = stateTexts.find(([other]) => other === state)?.[1];
  return (
    <li class="person">
      <span class="face" aria-hidden="true">
        {name ? initialOf(name, language.code) : <Icon name="person" />}
      </span>
      <span class="person-text">
        <span class="person-name">
          {/* A name of the other direction stays on the side where names stand. */}
          <bdi>{name ?? language.text('referrals.someone')}</bdi>
        </span>
        <time class="person-date" dateTime={at}>
          {language.date(at)}
        </time>
      </span>
      <span class={`state ${state}`}>
        <span class={`dot ${state}`} />
        {/* A state of a newer release than this panel has no word yet. */}
        {key && language.text(key)}
      </span>
    </li>
  );
}

/** The first character, an accent with its letter. */
function initialOf(name: string, language: string): string {
  return [...name.normalize()][0]?.toLocaleUpperCase(language) ?? '';
}
