import { Group, Text } from '@mantine/core';
import { PlainCount, type Counted } from './plain-count.tsx';

export type CountGroup = { by: string; value: string } & Counted;

/** How many match, in all and by one of their properties; each leads to the list of just those. */
export function Counts({
  label,
  total,
  groups,
  nameOf,
  onChoose,
}: {
  label: string;
  total: Counted;
  groups: readonly CountGroup[];
  nameOf: (value: string) => string;
  onChoose: (value: string) => void;
}) {
  return (
    <Group gap="xs" role="group" aria-label={label}>
      <Text size="sm" fw={600}>
        <PlainCount of={total} />
      </Text>
      {groups.map((group) => (
        <button
          key={group.value}
          type="button"
          className="count"
          onClick={() => onChoose(group.value)}
        >
          {nameOf(group.value)} <PlainCount of={group} />
        </button>
      ))}
    </Group>
  );
}
