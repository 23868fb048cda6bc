/**
 * English, and with it the list of all texts. It is part of the entry, so that a widget has words
 * even when no other file can be loaded; every other language is a file of its own.
 *
 * A key ends in `.one` and `.other` where a number decides the form: ask for it without the ending,
 * with `count`. `{name}` is filled in. Keys hold letters, digits and dots, since tenants overlay
 * texts by them (`languagePattern` and WidgetTexts of the contracts).
 */
export const en = {
  'launcher.label': 'Invite friends',

  'error.unauthorized': 'This user is not authorized to load the referral widget.',
  'error.unavailable': 'We cannot reach the referral programme right now.',
  'error.retry': 'Try again',

  // What a rule gives, to be put into the sentences below.
  'reward.fixed.one': '{count} credit',
  'reward.fixed.other': '{count} credits',
  'reward.percent': '{percent} of the price in credits',
  'reward.none': 'Invite friends with your personal link.',

  // Who gets it for what. A percentage comes with purchases only.
  'earn.referrer.signup': 'You get {reward} when a friend signs up.',
  'earn.referrer.demo': 'You get {reward} when a friend attends a demo.',
  'earn.referrer.purchase': 'You get {reward} for each purchase a friend makes.',
  'earn.referrer.firstPurchases.one': 'You get {reward} for the first purchase a friend makes.',
  'earn.referrer.firstPurchases.other':
    'You get {reward} for each of the first {count} purchases a friend makes.',
  'earn.friend.signup': 'Your friend gets {reward} for signing up.',
  'earn.friend.demo': 'Your friend gets {reward} for attending a demo.',
  'earn.friend.purchase': 'Your friend gets {reward} for each purchase.',
  'earn.friend.firstPurchases.one': 'Your friend gets {reward} for the first purchase.',
  'earn.friend.firstPurchases.other':
    'Your friend gets {reward} for each of the first {count} purchases.',

  // Sentences that may follow.
  'earn.tier.one': 'From {count} paying friend on: {reward}.',
  'earn.tier.other': 'From {count} paying friends on: {reward}.',
  'earn.rate': '{amount} paid count as {credits}.',
  'earn.minimum': 'For payments from {amounts}.',
  'earn.intervals': 'For these plans: {intervals}.',
  'earn.products': 'For selected products.',
  'earn.currencies': 'For payments in {currencies}.',
  'earn.seats.one': 'From {count} seat on.',
  'earn.seats.other': 'From {count} seats on.',
  'earn.hold.one': 'Credited after {count} day.',
  'earn.hold.other': 'Credited after {count} days.',

  'interval.oneTime': 'one-time',
  'interval.weekly': 'weekly',
  'interval.biWeekly': 'every two weeks',
  'interval.monthly': 'monthly',
  'interval.quarterly': 'quarterly',
  'interval.semiAnnual': 'half-yearly',
  'interval.yearly': 'yearly',
  'interval.biennial': 'every two years',
  'interval.triennial': 'every three years',
  'interval.lifetime': 'lifetime',

  // What a new user saves.
  'newUser.discount': 'Your friend saves {percent}.',
  'newUser.discountMonths.one': 'Your friend saves {percent} for {count} month.',
  'newUser.discountMonths.other': 'Your friend saves {percent} for {count} months.',

  // The panel.
  'panel.title': 'Invite friends, earn credits',
  'panel.titleWithoutReward': 'Invite your friends',
  'panel.close': 'Close',
  'panel.loading': 'Loading your invitation …',
  'panel.paused': 'No invitations right now',
  'panel.pausedText': 'There is no campaign running for you. What you have earned stays yours.',
  'panel.unauthorized': 'Not available for this account',
  'panel.unavailable': 'No connection',
  'panel.unavailableText': 'Check your internet connection. We will keep trying.',
  'panel.stale': 'No connection. This is what we last knew.',

  'invite.label': 'Your personal link',
  'invite.copy': 'Copy',
  'invite.copied': 'Copied',
  'invite.copiedNews': 'Your link was copied.',
  'invite.copyYourself': 'Your link is selected. Copy it with your keyboard or the context menu.',

  'share.title': 'Share it',
  'share.mail': 'Email',
  'share.whatsapp': 'WhatsApp',
  'share.x': 'X',
  'share.linkedin': 'LinkedIn',
  'share.more': 'More',
  'share.newTab': 'opens in a new tab',
  'share.subject': 'An invitation for you',
  'share.message': 'I like this and think you might too. Here is my invitation:',
  'share.messageWithDiscount':
    'I like this and think you might too. With my invitation you save {percent}:',
  'qr.button': 'QR code',
  'qr.image': 'QR code of your personal link',
  'qr.hint': 'Let a friend point their camera at it.',

  'credits.title': 'Your rewards',
  'credits.issued': 'Credits earned',
  'credits.held': 'Credits on hold',
  'credits.heldText': 'Credits on hold are yours as soon as they are confirmed.',
  'credits.toOffset': 'Credits to be offset',
  'credits.toOffsetText':
    'Credits to be offset were granted and then taken back, after a refund for example. They come off your next credits.',
  'credits.news': 'Credits earned: {credits}.',

  'referrals.title': 'Your referrals',
  'referrals.total.one': '{count} person',
  'referrals.total.other': '{count} people',
  'referrals.signedUp': 'Signed up',
  'referrals.demoAttended': 'Attended a demo',
  'referrals.purchased': 'Purchased',
  'referrals.refunded': 'Refunded',
  'referrals.someone': 'A friend',
  'referrals.showAll': 'Show all {total}',
  'referrals.showLess': 'Show fewer',
  'referrals.latestOnly': 'The latest {shown} of {total} are shown.',
  'referrals.empty': 'Your first referral will show up here',
  'referrals.emptyText': 'Share your link. Whoever joins with it appears in this list.',

  'how.title': 'How it works',
  'how.share': 'Share your link',
  'how.shareText': 'Send it to people who would enjoy it.',
  'how.join': 'Your friends join',
  'how.joinText': 'They follow your link and sign up.',
  'how.earn': 'Rewards follow',
} as const;

/** As they are written in a language's file. */
export type WrittenKey = keyof typeof en;

type PluralKey = WrittenKey extends infer K
  ? K extends `${infer Stem}.other`
    ? Stem
    : never
  : never;

/** As they are asked for: of a text with plural forms, the key without its ending. */
export type TextKey =
  | PluralKey
  | (WrittenKey extends infer K ? (K extends `${string}.${'one' | 'other'}` ? never : K) : never);

/** All texts of a language; those with plural forms in all that it has (Intl.PluralRules). */
export type LanguageTexts = Record<WrittenKey, string> &
  Partial<Record<`${PluralKey}.${'zero' | 'two' | 'few' | 'many'}`, string>>;
