/**
 * Linear in the length: `/0+$/` tries again from every zero, and a fraction of 60,000 zeros and a
 * one, which a request may hold, would keep the process busy for seconds.
 */
export function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
