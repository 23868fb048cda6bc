/** Seconds since 1970 of an RFC 3339 date-time (2.2, design 8); undefined when it is none. */
export function readDateTime(text: string): number | undefined {
  const parts = form.exec(text)?.slice(1);
  if (!parts) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(0, 6).map(Number) as SixNumbers;
  const offset = minutesOfOffset(parts[7]!);
  if (offset === undefined) return undefined;
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  const minutes = (daysSince1970(year, month, day) * 24 + hour) * 60 + minute - offset;
  const minuteOfDay = ((minutes % 1440) + 1440) % 1440;
  if (second === 60 && minuteOfDay !== 1439) return undefined;
  return minutes * 60 + second + Number(`0${parts[6] ?? ''}`);
}

type SixNumbers = [number, number, number, number, number, number];

const form =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]+)?([Zz]|[-+][0-9]{2}:[0-9]{2})$/;

function minutesOfOffset(text: string): number | undefined {
  if (text === 'Z' || text === 'z') return 0;
  const [hours, minutes] = text.slice(1).split(':').map(Number) as [number, number];
  if (hours > 23 || minutes > 59) return undefined;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

function isLeap(year: number): boolean {
  return year % 400 === 0 || (year % 4 === 0 && year % 100 !== 0);
}

function daysOf(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Counted, not computed: slow, and with nothing in it to get wrong. */
function daysSince1970(year: number, month: number, day: number): number {
  let days = day - 1;
  for (let m = 1; m < month; m++) days += daysOf(year, m);
  for (let y = 1970; y < year; y++) days += isLeap(y) ? 366 : 365;
  for (let y = year; y < 1970; y++) days -= isLeap(y) ? 366 : 365;
  return days;
}
