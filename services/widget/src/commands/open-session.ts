import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import { deriveUcc } from '@tributary/contracts/ucc';
import type { Click, ProductUserDetails } from '@tributary/contracts/public/widget-session';
import { type Appender, AppendRefused } from '@tributary/event-log/appender';
import type { CatalogView } from '@tributary/http/catalog-view';
import type { Clock } from '@tributary/runtime/clock';
import { chooseInvite, type OwnedCode } from '../domain/choose-invite.ts';
import { type KnownPerson, newDetailsOf } from '../domain/new-details.ts';
import type { OpenedSession, Wrote } from '../domain/opened-session.ts';
import { bootedSoonAfter, firstBootOf, refers } from '../domain/recover-signup.ts';
import { sessionOf, type ReferralSummary } from '../domain/session-of.ts';
import { type News, recordsOf } from './session-records.ts';
import type { WidgetUser } from '@tributary/http/widget-token';

/**
 * Answers a boot of the widget, after its token:
 *
 *   read what is known ─▶ choose the code ─▶ nothing is new ────────────────▶ session
 *                                        └▶ code, names, signup ─▶ append ─ack─▶ session
 *                                                                 └─refused─▶ unavailable
 *
 * What is new is on the log before the answer (docs/decisions/0015), as the user may share the link
 * at once. Several boots of one user at a time, or before the projection has read the first, append
 * the same code again: it is derived, and readers keep the first publication.
 */
export type OpenSession = (
  user: WidgetUser,
  boot: { productUserDetails: ProductUserDetails; click?: Click | undefined },
) => Promise<OpenedSession>;

/** What the projection knows; each call asks the live generation. */
export type SessionReads = {
  userView: (tenantId: string, userId: string) => Promise<UserView>;
  findCode: (tenantId: string, ucc: string) => Promise<OwnedCode | undefined>;
  signupSeen: (tenantId: string, userId: string) => Promise<boolean>;
};
type UserView = ReferralSummary & { codes: OwnedCode[]; person: KnownPerson | undefined };

export function createOpenSession(options: {
  catalog: Pick<CatalogView, 'tenant' | 'campaignInForce' | 'widgetSettings'>;
  reads: SessionReads;
  appender: Pick<Appender, 'append'>;
  topics: { codes: string; people: string; events: string };
  uccKey: Buffer;
  /** Reads codes and catalog up to their ends. */
  becomeCurrent: () => Promise<unknown>;
  clock: Clock;
}): OpenSession {
  const { catalog, reads, appender, topics, uccKey, becomeCurrent, clock } = options;

  return async (user, boot) => {
    const now = clock.now();
    let view = await reads.userView(user.tenantId, user.productUserId);
    if (chooseFor(user, view.codes, now).outcome !== 'has') {
      // As far as was read: a campaign or a code of the user may be a moment old
      // (docs/decisions/0022).
      await becomeCurrent();
      view = await reads.userView(user.tenantId, user.productUserId);
    }
    const settings = catalog.widgetSettings(user.tenantId);
    const { invite, issued } = await findInvite(user, view.codes, now);
    const news: News = {
      code: issued,
      person: newDetailsOf(boot.productUserDetails, view.person),
      signup: settings.recoverSignups
        ? await recoverSignup(user, boot.click, issued ? [...view.codes, issued] : view.codes)
        : undefined,
    };
    try {
      await appender.append(recordsOf(news, user, { topics, now }));
    } catch (error) {
      if (!(error instanceof AppendRefused)) throw error;
      return { outcome: 'unavailable', detail: error.message };
    }
    const { productUserId, productId } = user;
    const session = sessionOf({ productUserId, productId, invite, summary: view, settings });
    return { outcome: 'session', session, wrote: whatWas(news) };
  };

  function chooseFor({ tenantId }: WidgetUser, codes: readonly OwnedCode[], now: Date) {
    return chooseInvite(
      codes,
      (campaignId) => catalog.campaignInForce(tenantId, campaignId, now),
      catalog.tenant(tenantId)?.defaultCampaignId ?? null,
    );
  }

  async function findInvite(user: WidgetUser, codes: readonly OwnedCode[], now: Date) {
    const choice = chooseFor(user, codes, now);
    if (choice.outcome === 'has') return { invite: choice, issued: undefined };
    if (choice.outcome === 'none') return { invite: undefined, issued: undefined };
    return deriveInvite(user, choice.campaign, now);
  }

  /**
   * A derived code that is there already was disabled, or somebody else's publication took it;
   * unless another boot has issued it since the codes were read.
   */
  async function deriveInvite(user: WidgetUser, campaign: CampaignRevisionRecord, now: Date) {
    const { productUserId } = user;
    const { campaignId } = campaign;
    const ucc = derivedUcc(user, campaignId);
    const found = await reads.findCode(user.tenantId, ucc);
    if (found !== undefined) {
      const isTheirs = found.productUserId === productUserId && found.campaignId === campaignId;
      const invite = isTheirs && found.status === 'issued' ? { ucc, campaign } : undefined;
      return { invite, issued: undefined };
    }
    const issuedAt = now.toISOString();
    const times = { issuedAt, changedAt: issuedAt };
    const issued: OwnedCode = { ucc, status: 'issued', campaignId, productUserId, ...times };
    return { invite: { ucc, campaign }, issued };
  }

  async function recoverSignup(
    user: WidgetUser,
    click: Click | undefined,
    codes: readonly OwnedCode[],
  ): Promise<News['signup']> {
    const occurredAt = firstBootOf(codes, (code) => code.ucc === derivedUcc(user, code.campaignId));
    if (click === undefined || occurredAt === undefined) return undefined;
    if (!bootedSoonAfter(click.capturedAt, occurredAt)) return undefined;
    const { tenantId, productUserId } = user;
    if (!refers(await reads.findCode(tenantId, click.ucc), productUserId)) return undefined;
    if (await reads.signupSeen(tenantId, productUserId)) return undefined;
    return { ucc: click.ucc, occurredAt };
  }

  function derivedUcc({ tenantId, productUserId }: WidgetUser, campaignId: string): string {
    return deriveUcc(uccKey, { tenantId, campaignId, productUserId, generation: 1 });
  }
}

function whatWas(news: News): Wrote[] {
  const parts = ['code', 'person', 'signup'] as const;
  return parts.filter((part) => news[part] !== undefined);
}
