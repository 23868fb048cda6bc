const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A session that nobody uses ends after the one, and any after the other. */
export const sessionIdleMs = 12 * hour;
export const sessionMs = 7 * day;
/** For how long a password that was entered is enough for what asks for it. */
export const confirmedMs = 10 * minute;
export const invitationMs = 7 * day;
/** For how long what an authenticator or a provider is asked waits for the answer. */
export const challengeMs = 10 * minute;
export const signInLinkMs = 15 * minute;
/** For how long a mail server is tried, and how long a mail is left to who sends it. */
export const noticeMs = 3 * day;
export const noticeLeaseMs = 2 * minute;
/** How long a second person has. */
export const approvalMs = day;
/** How often it is written that a session or a token was used. */
export const seenEveryMs = minute;
/** So many wrong ones within the time, and no other is looked at until it is over. */
export const failuresOfAccount = 10;
export const failuresOfAddress = 50;
export const failuresMs = 15 * minute;
/** A request that has not ended by then never will. */
export const auditOpenMs = 2 * minute;

export function before(at: Date, ms: number): Date {
  return new Date(at.getTime() - ms);
}

export function after(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}
