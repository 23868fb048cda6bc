import { Progress, Stack, Text } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';

/** How far a job is, by its own words; without a total it only says how much is done. */
export function JobProgress({
  of: { phase, done, total, unit, eventsPerSecond },
  label,
}: {
  of: NonNullable<AnswerOf<'showJob'>['progress']>;
  label: string;
}) {
  const percent = total === undefined || total === 0 ? undefined : (100 * done) / total;
  return (
    <Stack gap={4}>
      <Text size="sm" role="status">
        {phase}: {done}
        {total !== undefined && ` / ${total}`} {unit}
        {eventsPerSecond !== undefined && ` (${eventsPerSecond}/s)`}
      </Text>
      {percent !== undefined && <Progress value={percent} aria-label={label} />}
    </Stack>
  );
}
