/** A refusal of the admin API, as its problem document says. */
export type AdminProblem = {
  status: number;
  code: string;
  title: string;
  detail?: string;
  /** The id of the request, by which it is found in the logs. */
  instance?: string;
  violations?: readonly { pointer: string; code: string; detail?: string }[];
  retryAfterSeconds?: number;
};

export class ProblemError extends Error {
  readonly problem: AdminProblem;

  constructor(problem: AdminProblem) {
    super(problem.detail ?? problem.title);
    this.name = 'ProblemError';
    this.problem = problem;
  }
}
