/** Flags of commands that start a server, and errors of listening. */
import { readFile } from "node:fs/promises";
import type { ListenOptions } from "../../core/http/http-server";
import { type Flag, type ParsedArguments, UsageError, validText } from "./arguments";

export const portFlag = (description: string): Flag => ({ name: "port", value: "<number>", description });

/** Returns the value of --port; 0 lets the system choose a port. */
export function portFrom(parsed: ParsedArguments): number | undefined {
  const isPort = (text: string) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535;
  const text = validText(parsed, "port", "a number from 0 to 65535", isPort);
  return text === undefined ? undefined : Number(text);
}

/** Flags of a server that other machines may reach. */
export const listenFlags: readonly Flag[] = [
  {
    name: "host",
    value: "<address>",
    description:
      "Address to listen on. Default: 127.0.0.1. Any address reachable from other machines requires TLS.",
  },
  {
    name: "address",
    value: "<url>",
    repeats: true,
    description:
      "Address under which clients reach the server, for example https://desk.example.com. May be repeated; requests for other addresses are refused.",
  },
  { name: "tls-cert", value: "<file>", description: "Certificate file (PEM), to serve https." },
  { name: "tls-key", value: "<file>", description: "Private key file of the certificate (PEM)." },
  { name: "behind-proxy", description: "A proxy ends TLS for --address and forwards the Host header." },
];

function addressFrom(text: string): URL {
  if (!URL.canParse(text)) throw new UsageError(`--address must be an https address, not ${text}.`);
  return new URL(text);
}

async function readFileFlag(parsed: ParsedArguments, flag: string): Promise<string> {
  const path = parsed.string(flag);
  if (path === undefined) throw new UsageError("--tls-cert and --tls-key must be given together.");
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new UsageError(`--${flag}: ${path} cannot be read: ${(error as Error).message}.`);
  }
}

async function tlsFrom(parsed: ParsedArguments): Promise<ListenOptions["tls"]> {
  if (parsed.string("tls-cert") === undefined && parsed.string("tls-key") === undefined) return undefined;
  return { cert: await readFileFlag(parsed, "tls-cert"), key: await readFileFlag(parsed, "tls-key") };
}

/** Reads the flags of `listenFlags` and --port. Throws a UsageError. */
export const listenOptionsFrom = async (parsed: ParsedArguments): Promise<ListenOptions> => ({
  port: portFrom(parsed),
  host: parsed.string("host"),
  addresses: parsed.strings("address")?.map(addressFrom),
  tls: await tlsFrom(parsed),
  behindProxy: parsed.boolean("behind-proxy"),
});

/** Converts errors of listening, and about its options, to a UsageError with advice; rethrows other errors. */
export function throwListenError(error: unknown): never {
  if (error instanceof TypeError && /^(host|address|tls-cert) /.test(error.message))
    throw new UsageError(`--${error.message}`);
  const { code, port, address, hostname } = error as Readonly<Record<string, unknown>>;
  const otherPort = "Choose another with --port, or 0 for any free port.";
  const foreignAddress = `--host must be an address of this machine, not ${String(address ?? hostname)}.`;
  const advice: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${String(port)} is already in use. ${otherPort}`,
    EACCES: `You lack the permission for port ${String(port)}. ${otherPort}`,
    EADDRNOTAVAIL: foreignAddress,
    ENOTFOUND: foreignAddress,
    EAI_AGAIN: foreignAddress,
  };
  const message = advice[String(code)];
  throw message === undefined ? error : new UsageError(message);
}
