import { Stack, Title } from '@mantine/core';
import { createContext, type ReactNode, useContext } from 'react';

/** Headings that are left out confuse whoever hears them: each knows how deep it stands. */
const Depth = createContext<2 | 3 | 4>(2);

/** What has a title of its own, in which the parts begin one level lower: a drawer. */
export const BelowTitle = ({ children }: { children: ReactNode }) => (
  <Depth value={3}>{children}</Depth>
);

/** A part of a page or of what is open, under its heading. */
export function Part({ title, children }: { title: string; children: ReactNode }) {
  const depth = useContext(Depth);
  return (
    <Stack gap="xs" component="section">
      <Title order={depth} size="h4">
        {title}
      </Title>
      <Depth value={depth === 2 ? 3 : 4}>{children}</Depth>
    </Stack>
  );
}

/** A heading within a part. */
export function PartTitle({ children }: { children: ReactNode }) {
  const depth = useContext(Depth);
  return (
    <Title order={depth} size="h6">
      {children}
    </Title>
  );
}
