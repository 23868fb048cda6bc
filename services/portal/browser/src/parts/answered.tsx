import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failed } from './states.tsx';

/**
 * What a part of a page shows of an answer: nothing before it is there, and why it is not there
 * when it failed, so that nobody takes a part that is missing for one that is empty.
 */
export function Answered<T>({
  of: { data, error, refetch },
  children,
}: {
  of: UseQueryResult<T>;
  children: (data: T) => ReactNode;
}) {
  if (data !== undefined) return children(data);
  return error && <Failed error={error} onRetry={() => void refetch()} />;
}
