import { Text } from '@mantine/core';

/** How a step of a list stands; all take the same room. Its words stand beside it. */
export function StepMark({ of }: { of: '✓' | '○' | '…' | '?' }) {
  return (
    <Text component="span" display="inline-block" w="1.25em" ta="center" aria-hidden>
      {of}
    </Text>
  );
}
