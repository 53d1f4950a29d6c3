import type { Violation } from "../declaration/violation";

/** A response with what came along. */
export interface ServiceResponse<Status extends number = number, Body = unknown> {
  readonly status: Status;
  readonly body: Body;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** All entries of a paged list, where the service counts them. */
  readonly total: number | undefined;
  readonly requestId: string | undefined;
  readonly attempts: number;
  /** Where the response differs from the contract. It is passed on as it came; what differs is looked for when asked. */
  readonly violations: readonly Violation[];
}
