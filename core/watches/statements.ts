/** statements.watch: requested statement files that are ready or have failed. */
import { z } from "zod";
import { textField } from "../values/response-fields";
import { ReceivedFile } from "../call/received-file";
import { json } from "../spec/declare";
import { readEach, watch } from "./watch";

const statementUrlPattern = /\/accounts\/([0-9a-fA-F-]{36})\/statements\/([0-9a-fA-F-]{36})\/file(?:\?.*)?$/;

const WatchedStatement = z
  .object({
    url: textField("The input value."),
    account_id: textField("ID, for statements.getFile."),
    statement_id: textField("ID, for statements.getFile."),
    status: textField("Ready, Pending or Failed (final)."),
  })
  .meta({ id: "WatchedStatement", description: "A statement file and its status." });

export const watchStatements = watch({
  name: "statements.watch",
  tool: "watch_statements",
  title: "Watch statements",
  summary: "Reports when requested statement files are ready or have failed.",
  keywords: ["alert", "download", "Kontoauszug", "fertig"],
  uses: ["statements.getFile"],
  input: {
    urls: z
      .array(
        z
          .string()
          .regex(statementUrlPattern, "must be /accounts/{account_id}/statements/{statement_id}/file"),
      )
      .min(1)
      .meta({ title: "URLs", description: "URLs (`url`) from statements.createFile." }),
  },
  output: json(WatchedStatement, "A statement file."),
  defaultStart: "beginning",
  everyMs: 15_000,
  async read(context, { urls }, { knownStates }) {
    const open = urls.filter((url) => (knownStates.get(url)?.["status"] ?? "Pending") === "Pending");
    return readEach(
      context,
      open,
      (url) => `Statement ${url}`,
      async (url) => {
        const [, account_id, statement_id] = statementUrlPattern.exec(url)!;
        const input = { account_id: account_id!, statement_id: statement_id! };
        const { body } = await context.client.statements.getFile(input);
        const isReady = body instanceof ReceivedFile;
        if (isReady) body.stream.destroy();
        return [{ url, ...input, status: isReady ? "Ready" : body.status }];
      },
    );
  },
  identify: ({ url }) => url,
  state: ({ status }) => ({ status }),
  reportsNew: ({ status }) => status !== "Pending",
});
