import { Group, Stack, Title } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { commonTexts } from '../i18n/common.ts';
import { useTexts } from '../i18n/texts.ts';
import { withMarks } from './hidden-characters.ts';

let shownPath: string | undefined;

/**
 * The heading of every page, which is also the document's title, and where the focus goes when
 * another page was opened, so that who does not see it hears where they are.
 */
export function PageFrame({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const t = useTexts(commonTexts);
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();
  const shownTitle = withMarks(title);
  useEffect(() => {
    document.title = `${shownTitle} – ${t.product}`;
  }, [shownTitle, t.product]);
  useEffect(() => {
    if (shownPath !== undefined && shownPath !== pathname) heading.current?.focus();
    shownPath = pathname;
  }, [pathname]);
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="xs">
        <Title order={1} size="h2" tabIndex={-1} ref={heading}>
          {shownTitle}
        </Title>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
