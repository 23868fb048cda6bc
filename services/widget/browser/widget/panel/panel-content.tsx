import type { WidgetSession } from '@tributary/contracts/public/widget-session';
import { useState } from 'preact/hooks';
import type { Language } from '../language.ts';
import type { PanelHost, WidgetState } from '../panel-contract.ts';
import { offersInWords } from '../rule-texts.ts';
import { Credits } from './credits.tsx';
import { HowItWorks } from './how-it-works.tsx';
import { Icon } from './icons.tsx';
import { Invite } from './invite.tsx';
import { Loading, Notice, StaleBanner } from './notices.tsx';
import { Referrals } from './referrals.tsx';
import { Share } from './share.tsx';

type Shown = { host: PanelHost; state: WidgetState };

/** All that is in the dialog. The dialog itself is named by the title (panel.tsx). */
export function PanelContent({ host, state }: Shown) {
  const session = 'session' in state ? state.session : undefined;
  const offers = session?.invite ? offersInWords(session, host.language) : [];
  const [scrolled, setScrolled] = useState(false);
  const title = titleOf(host.language, session);
  return (
    <>
      <div class={scrolled ? 'top scrolled' : 'top'}>
        <span class="top-title" aria-hidden="true">
          {title}
        </span>
        <button
          type="button"
          class="button round"
          aria-label={host.language.text('panel.close')}
          onClick={() => host.close()}
        >
          <Icon name="close" />
        </button>
      </div>
      {/* It can be focused for the arrow keys to scroll it where it is longer than the window. */}
      <div
        class="body"
        tabIndex={0}
        role="group"
        aria-labelledby={panelTitleId}
        onScroll={({ currentTarget }) => setScrolled(currentTarget.scrollTop > titleGoneAtPx)}
      >
        <Head title={title} offers={offers} />
        <Body host={host} state={state} />
      </div>
    </>
  );
}

/** The title of the head is behind the bar on top from there on. */
const titleGoneAtPx = 64;

/** Unique within the shadow root, which is where ids are looked for. */
export const panelTitleId = 'tributary-panel-title';

/** A programme that gives its referrers nothing does not promise credits. */
function titleOf(language: Language, session: WidgetSession | undefined): string {
  const rewarded =
    !session?.invite || session.rules.some(({ recipient }) => recipient === 'referrer');
  return language.text(rewarded ? 'panel.title' : 'panel.titleWithoutReward');
}

/** What it is about, and what it offers to either side. */
function Head({ title, offers }: { title: string; offers: string[] }) {
  return (
    <header class="head">
      <span class="head-icon">
        <Icon name="gift" />
      </span>
      <h2 class="title" id={panelTitleId}>
        {title}
      </h2>
      {offers.length > 0 && (
        <ul class="offers" role="list">
          {offers.map((offer) => (
            <li key={offer}>
              <Icon name="check" />
              <span>{offer}</span>
            </li>
          ))}
        </ul>
      )}
    </header>
  );
}

function Body({ host, state }: Shown) {
  const { text } = host.language;
  switch (state.status) {
    case 'loading':
      return <Loading text={text('panel.loading')} />;
    case 'unauthorized':
      return (
        <Notice icon="lock" title={text('panel.unauthorized')} text={text('error.unauthorized')} />
      );
    case 'unavailable':
      if (state.session === undefined) return <Unavailable host={host} />;
      return (
        <>
          <StaleBanner host={host} />
          <Programme host={host} session={state.session} />
        </>
      );
    case 'ready':
      return <Programme host={host} session={state.session} />;
    default:
      return state satisfies never;
  }
}

function Unavailable({ host }: { host: PanelHost }) {
  const { text } = host.language;
  return (
    <Notice
      icon="offline"
      title={text('panel.unavailable')}
      text={text('panel.unavailableText')}
      retry={{ label: text('error.retry'), now: () => host.refresh() }}
    />
  );
}

type ProgrammeProps = { host: PanelHost; session: WidgetSession };

/**
 * The user's share in the programme. Without an invitation, what they have earned is still theirs
 * to see.
 */
function Programme({ host, session }: ProgrammeProps) {
  const { language } = host;
  const { invite, credits, referrals } = session;
  return (
    <>
      {invite ? (
        <>
          <Invite host={host} link={invite.link} />
          <Share language={language} link={invite.link} discount={session.newUserDiscount} />
        </>
      ) : (
        <Notice
          icon="pause"
          title={language.text('panel.paused')}
          text={language.text('panel.pausedText')}
        />
      )}
      <Credits language={language} credits={credits} />
      {(invite ?? referrals.total > 0) && <Referrals language={language} referrals={referrals} />}
      {invite && <HowItWorks language={language} session={session} />}
    </>
  );
}
