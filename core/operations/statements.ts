/** Statements: as a file and by e-mail. Contract: endpoints 13 to 18. */
import { z } from "zod";
import { AccountId, openEnum, uuid } from "../schema/values";
import { file, json, operation } from "./declaration";
import { clientId, credentials, meaning } from "./service";

const StatementId = uuid("Statement ID", "The statement, from the url that statements.createFile answers.");

export const StatementFileStatus = z
  .object({ status: openEnum(["Pending", "Failed"]).meta({ description: "Failed is final." }) })
  .meta({ id: "StatementFileStatus" });

export const getStatementFile = operation({
  name: "statements.getFile",
  tool: "get_statement_file",
  title: "Get statement file",
  summary: "Fetches a statement file, or its status while it is not ready.",
  effect: "read",
  method: "GET",
  path: "/accounts/{account_id}/statements/{statement_id}/file",
  server: "service",
  credentials,
  parameters: { account_id: AccountId, statement_id: StatementId },
  query: { client_id: clientId },
  answers: {
    200: file("The statement file."),
    202: json(StatementFileStatus, "The file is not ready."),
  },
  errors: {
    400: meaning[400],
    401: meaning[401],
    403: meaning[403],
    404: "Client ID or account UUID not found.",
    409: meaning[409],
    502: meaning[502],
  },
  contract: "14",
});

export const statements = [getStatementFile] as const;
