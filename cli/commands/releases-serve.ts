/** fxdesk releases serve: the page on which people release. */
import { readFile } from "node:fs/promises";
import { peopleAt } from "../../core/releases/people";
import type { ReleaseDesk } from "../../core/releases/desk";
import type { DecisionFiles } from "../../core/releases/said";
import { type Flag, type ParsedArguments, UsageError } from "../arguments";
import { success } from "../exit";
import { notListening, portFrom } from "../port";
import { type Terminal, writeStderr } from "../terminal";
import { untilStopped } from "../until-stopped";

const usualPort = 8082;

export const serveFlags: readonly Flag[] = [
  {
    name: "port",
    value: "<number>",
    description: `Port to listen on; ${usualPort} by default, 0 for any free one.`,
  },
  {
    name: "host",
    value: "<address>",
    description:
      "Address to listen on; 127.0.0.1 by default. Any beyond this machine needs --address, --certificate and --key.",
  },
  {
    name: "address",
    value: "<url>",
    description: "The https address by which browsers reach it, also through a proxy on this machine.",
  },
  { name: "certificate", value: "<file>", description: "Certificate of the page (PEM), to serve https." },
  { name: "key", value: "<file>", description: "Private key of the certificate (PEM)." },
];

function addressFrom(parsed: ParsedArguments): URL | undefined {
  const text = parsed.text("address");
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || `${url.origin}/` !== url.href)
    throw new UsageError(
      `--address must be an https address without a path, such as https://releases.example.com, not ${JSON.stringify(text)}.`,
    );
  return url;
}

async function fileOf(parsed: ParsedArguments, flag: string): Promise<string> {
  const path = parsed.text(flag);
  if (path === undefined) throw new UsageError("--certificate and --key are given together.");
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new UsageError(`--${flag} names ${path}, which cannot be read: ${(error as Error).message}.`);
  }
}

async function certificateFrom(parsed: ParsedArguments) {
  if (parsed.text("certificate") === undefined && parsed.text("key") === undefined) return undefined;
  return { cert: await fileOf(parsed, "certificate"), key: await fileOf(parsed, "key") };
}

/** What is said of an option, which is named first, is said of its flag. */
function asUsage(error: unknown): never {
  if (error instanceof TypeError && /^(host|address) /.test(error.message))
    throw new UsageError(`--${error.message}`);
  if (String((error as NodeJS.ErrnoException).code).startsWith("ERR_OSSL"))
    throw new UsageError(
      `--certificate and --key must be PEM files that belong together (${(error as Error).message}).`,
    );
  return notListening(error);
}

/** Serves the page until it is to stop. */
export async function serve(
  parsed: ParsedArguments,
  terminal: Terminal,
  desk: ReleaseDesk,
  files: DecisionFiles,
): Promise<number> {
  const { serveReleases } = await import("../releases-page/server.js");
  await peopleAt(files.people);
  const options = {
    desk,
    files,
    port: portFrom(parsed) ?? usualPort,
    host: parsed.text("host"),
    address: addressFrom(parsed),
    certificate: await certificateFrom(parsed),
  };
  const stopped = untilStopped();
  const page = await serveReleases(options).catch(asUsage);
  await writeStderr(terminal, `People release at ${page.url}. Ctrl-C stops it.\n`);
  await stopped;
  await page.close();
  return success;
}
