/** The command was not written as it must be; nothing was sent. Exit code 2. */
export class UsageError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'UsageError';
  }
}

/** There was no answer of the admin API to show. Exit code 1. */
export class NoAnswer extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'NoAnswer';
  }
}

/** An export or import cannot be done, and why. Exit code 1. */
export class TransferFailed extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'TransferFailed';
  }
}

/** The answer said that something is not in order, and was printed. Exit code 1. */
export class ShownFailure extends Error {}

/** It is not done: another person has to approve it first. Exit code 1. */
export class NeedsApproval extends Error {
  readonly approval: Approval;
  constructor(approval: Approval) {
    const { approvalId, tenantId, expiresAt } = approval;
    const where = tenantId === null ? '' : ` --tenant ${tenantId}`;
    super(
      `Nothing is done yet: another person has to approve it until ${expiresAt}.\n` +
        `  tributary approval approve ${approvalId}${where}`,
    );
    this.name = 'NeedsApproval';
    this.approval = approval;
  }
}

type Approval = { approvalId: string; tenantId: string | null; expiresAt: string };

/** The admin API refused. Exit code 1. */
export class Refused extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail);
    this.name = 'Refused';
    this.problem = problem;
  }
}

/** What the command line shows of a problem document (interface 2.8). */
export type Problem = {
  status: number;
  code: string;
  title: string;
  detail: string;
  instance?: string;
  errors?: readonly { pointer: string; code: string; detail: string }[];
};
