/** Statements that were asked for as a file. */
import type { Account } from "./accounts";
import type { StoredFile } from "../behaviour";

export type StatementFormat = "pdf" | "csv" | "mt940" | "xls";

export interface StatementRequest {
  readonly account: Account;
  readonly format: StatementFormat;
  /** The first and the last day, both included. */
  readonly from: string;
  readonly to: string;
}

export interface Statement extends StatementRequest {
  readonly statementId: string;
  readonly askedAt: Date;
  readonly readyAt: Date;
  /** Made when it is first fetched; undefined inside when it cannot be made. */
  file?: Promise<StoredFile | undefined>;
}
