/**
 * Compares the readers of bank files with the parsers below them or beside them: camt with saxes alone, MT940 with mt940js.
 * Candidates alternate in one process.
 */
import { Parser } from "mt940js";
import { SaxesParser } from "saxes";
import { readCamtParts, readMt940Parts, type StatementPart } from "../core/files";
import { camtText, informationOf, mt940Text } from "./bank-files";
import { compare } from "./compare";

const entries = Number(process.env.FXDESK_RUNS ?? 20_000);
const chunkLength = 65_536;

async function countParts(parts: AsyncIterable<StatementPart>): Promise<void> {
  let count = 0;
  for await (const part of parts) if (part.kind === "entry") count += 1;
  if (count !== entries) throw new Error(`${count} of ${entries} entries were read`);
}

/** Parses XML with handlers that do nothing, as they cost nothing if they are absent. */
function parseBare(text: string): void {
  const parser = new SaxesParser();
  for (const name of ["opentag", "closetag", "text"] as const) parser.on(name, () => {});
  for (let at = 0; at < text.length; at += chunkLength) parser.write(text.slice(at, at + chunkLength));
  parser.close();
}

const options = { rounds: 7, sliceMs: 300, inFlight: 1 };

async function main(): Promise<void> {
  const camt = [...camtText(entries)].join("");
  await compare(
    "camt",
    [
      { name: "saxes alone", run: async () => parseBare(camt) },
      { name: "readCamtParts", run: () => countParts(readCamtParts(camt)) },
    ],
    options,
  );
  for (const information of Object.keys(informationOf) as (keyof typeof informationOf)[]) {
    const text = [...mt940Text(entries, information)].join("");
    await compare(
      `MT940, :86: ${information}`,
      [
        { name: "mt940js", run: async () => new Parser().parse(text) },
        { name: "readMt940Parts", run: () => countParts(readMt940Parts(text)) },
      ],
      options,
    );
  }
}

void main();
