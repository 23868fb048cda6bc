import { Text } from '@mantine/core';
import { ProblemError } from '@tributary/admin-client/problem-error';
import { commonTexts } from '../i18n/common.ts';
import { useTexts } from '../i18n/texts.ts';

/** Why something was refused or failed, with the request's id for whoever looks for it in a log. */
export function ErrorText({ error, unauthorized }: { error: Error; unauthorized?: string }) {
  const t = useTexts(commonTexts);
  return (
    <Text role="alert" size="sm" c="var(--mantine-color-error)">
      {error instanceof ProblemError ? (
        <>
          {error.problem.status === 401 && unauthorized !== undefined
            ? unauthorized
            : error.message}{' '}
          {error.problem.violations?.map(({ pointer, detail, code }) => (
            <span key={pointer + code}>
              <br />
              {pointer}: {detail ?? code}
            </span>
          ))}
          {error.problem.status >= 500 && error.problem.instance !== undefined && (
            <> ({t.requestId(error.problem.instance)})</>
          )}
        </>
      ) : (
        t.offline
      )}
    </Text>
  );
}
