/** Statement files, by format. */
import type { StoredFile } from "../behaviour";
import type { StatementFormat, StatementRequest } from "../world/statements";
import type { World } from "../world/world";
import { statementContent, type StatementContent } from "./content";
import { csvStatement } from "./csv";
import { pdfStatement } from "./pdf";

type Writer = (content: StatementContent) => Promise<Buffer>;

interface Format {
  readonly contentType: string;
  readonly extension: string;
  readonly write: Writer;
}

const formats: Readonly<Partial<Record<StatementFormat, Format>>> = {
  pdf: { contentType: "application/pdf", extension: "pdf", write: pdfStatement },
  csv: { contentType: "text/csv; charset=utf-8", extension: "csv", write: csvStatement },
};

/** The file of a statement; undefined when it cannot be made in its format. */
export async function statementFile(
  world: World,
  request: StatementRequest & { readonly askedAt: Date },
): Promise<StoredFile | undefined> {
  const format = formats[request.format];
  if (!format) return undefined;
  const { account, from, to } = request;
  const bytes = await format.write(statementContent(world, request));
  const fileName = `statement-${account.currency}-${from}-${to}.${format.extension}`;
  return { contentType: format.contentType, fileName, bytes };
}
