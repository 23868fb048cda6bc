import { Anchor, type AnchorProps } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Fields, SearchOf } from './search.ts';
import { hrefOf, type Place } from './place.ts';

/** A link to a page, by its place; the search parameters are checked as the page reads them. */
export function PlaceLink<F extends Fields>({
  to,
  tenantId,
  params,
  search,
  children,
  ...rest
}: {
  to: Place<F>;
  tenantId: string;
  params?: Readonly<Record<string, string>>;
  search?: SearchOf<F>;
  children: ReactNode;
} & AnchorProps) {
  const href = hrefOf(to, { tenantId, ...(params && { params }), ...(search && { search }) });
  return (
    <Anchor inherit {...rest} renderRoot={(props) => <Link {...props} to={href} />}>
      {children}
    </Anchor>
  );
}
