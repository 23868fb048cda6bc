import {
  Anchor,
  Burger,
  Button,
  Group,
  NativeSelect,
  Popover,
  Select,
  Stack,
  Text,
} from '@mantine/core';
import { useMantineColorScheme } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { signOut, useSession } from '../api/session.ts';
import { commonTexts } from '../i18n/common.ts';
import { language, languages } from '../i18n/language.ts';
import { useTexts } from '../i18n/texts.ts';
import { withMarks } from '../parts/hidden-characters.ts';
import { browserZoneName, timeZone, zones } from '../parts/times.ts';
import { useTenants } from './tenants.ts';

export function Header({
  tenantId,
  isOpen,
  onToggle,
}: {
  tenantId: string | undefined;
  isOpen: boolean;
  onToggle: () => void;
}) {
  const t = useTexts(commonTexts);
  return (
    <Group h="100%" px="md" gap="sm" wrap="nowrap" justify="space-between">
      <Group gap="sm" wrap="nowrap" miw={0}>
        <Burger
          opened={isOpen}
          onClick={onToggle}
          hiddenFrom="md"
          size="sm"
          aria-label={t.openNavigation}
          aria-expanded={isOpen}
        />
        <Anchor fw={700} c="inherit" renderRoot={(props) => <Link {...props} to="/portal" />}>
          {t.product}
        </Anchor>
        {tenantId !== undefined && <TenantSwitch tenantId={tenantId} />}
      </Group>
      <Settings />
    </Group>
  );
}

/**
 * Whoever goes through the tenants by arrow keys has not chosen one before they press Enter; what
 * is typed finds one among many.
 */
function TenantSwitch({ tenantId }: { tenantId: string }) {
  const t = useTexts(commonTexts);
  const navigate = useNavigate();
  const { tenants } = useTenants();
  const all = tenants ?? [];
  const isKnown = all.some((each) => each.tenantId === tenantId);
  return (
    <Select
      aria-label={t.tenant}
      miw={0}
      maw={260}
      value={tenantId}
      onChange={(chosen) => {
        if (chosen === null || chosen === tenantId) return;
        void navigate({ to: `/portal/tenants/${encodeURIComponent(chosen)}` });
      }}
      data={[
        ...(isKnown ? [] : [{ value: tenantId, label: withMarks(tenantId) }]),
        ...all.map((each) => ({ value: each.tenantId, label: withMarks(each.name) })),
      ]}
      allowDeselect={false}
      searchable
      // Within the banner: what is appended to the body is in no landmark.
      comboboxProps={{ withinPortal: false }}
      // The list itself scrolls: the keys that move in it are those of the field.
      withScrollArea={false}
      styles={{ options: { maxHeight: 220, overflowY: 'auto' } }}
      openOnFocus={false}
      limit={200}
      nothingFoundMessage={t.noTenant}
    />
  );
}

function Settings() {
  const t = useTexts(commonTexts);
  const { data: session } = useSession();
  return (
    <Popover position="bottom-end" trapFocus returnFocus width={260}>
      <Popover.Target>
        <Button variant="default" aria-label={t.menu} px="xs" flex="none">
          <span aria-hidden>⚙</span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t.menu}>
        <Stack gap="sm">
          <Text size="sm" fw={600}>
            {session && withMarks(session.email)}
          </Text>
          <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/portal/account" />}>
            {t.account}
          </Anchor>
          <Anchor size="sm" href="/docs">
            {t.docs}
          </Anchor>
          <Switches />
          <Button variant="default" onClick={() => void signOut()}>
            {t.signOut}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

const schemes = ['light', 'dark', 'auto'] as const;

/** Language, time zone and colours: they hold for all pages, and before the sign-in too. */
export function Switches() {
  const t = useTexts(commonTexts);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <NativeSelect
        label={t.language}
        value={language.use()}
        onChange={({ currentTarget }) => language.set(currentTarget.value as 'en')}
        data={languages.map((value) => ({ value, label: { en: 'English', de: 'Deutsch' }[value] }))}
      />
      <NativeSelect
        label={t.timeZone}
        value={timeZone.use()}
        onChange={({ currentTarget }) => timeZone.set(currentTarget.value as 'utc')}
        data={zones.map((value) => ({
          value,
          label: value === 'utc' ? t.zones.utc : t.zones.browser(browserZoneName()),
        }))}
      />
      <NativeSelect
        label={t.colourScheme}
        value={colorScheme}
        onChange={({ currentTarget }) => setColorScheme(currentTarget.value as 'auto')}
        data={schemes.map((value) => ({ value, label: t.schemes[value] }))}
      />
    </>
  );
}
