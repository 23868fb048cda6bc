// How the texts in bodies of internal routes are read, for all services alike.

export const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** UTC with milliseconds; also of what is no day. */
export const momentForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Undefined when one of them is no time; the schema knows their form only. */
export function periodOf(body: {
  since?: string;
  until?: string;
}): { since?: Date; until?: Date } | undefined {
  const since = body.since === undefined ? undefined : new Date(body.since);
  const until = body.until === undefined ? undefined : new Date(body.until);
  if (Number.isNaN(since?.getTime()) || Number.isNaN(until?.getTime())) return undefined;
  return { ...(since && { since }), ...(until && { until }) };
}

/** Where a page of a list by time ended, for whoever asks for the next one. */
export function cursorAt(moment: string, uuid: string): string {
  return Buffer.from(`${moment} ${uuid}`).toString('base64url');
}

/** The other way round; null when it is none that was given out. */
export function placeAt(cursor: string): { at: Date; uuid: string } | null {
  const [moment = '', uuid = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  const at = new Date(moment);
  const isMoment = momentForm.test(moment) && !Number.isNaN(at.getTime());
  return isMoment && uuidForm.test(uuid) ? { at, uuid } : null;
}
