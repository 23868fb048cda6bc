// How ids and cursors of internal routes are read, for all services alike.

export const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** UTC with milliseconds; also of what is no day. */
const momentForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Where a page of a list by time ended, for whoever asks for the next one. */
export function cursorAt(moment: string, uuid: string): string {
  return Buffer.from(`${moment} ${uuid}`).toString('base64url');
}

/** The other way round; null when it is none that was given out. */
export function sortKeyAt(cursor: string): { at: Date; uuid: string } | null {
  const [moment = '', uuid = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  const at = new Date(moment);
  const isMoment = momentForm.test(moment) && !Number.isNaN(at.getTime());
  return isMoment && uuidForm.test(uuid) ? { at, uuid } : null;
}
