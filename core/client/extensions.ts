/** Operations that a module of the user's adds to the service. */
import { realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { z } from "zod";
import { contract } from "../operations/contract";
import { extensionVariables } from "./settings";
import * as declarations from "../operations/declaration";
import type { Service } from "../operations/definition";
import { extended } from "../operations/extensions";
import * as values from "../schema";

/** What a module is given to declare operations with, so that it needs nothing installed beside it. */
const toolkit = { ...declarations, ...values, z };
export type ExtensionToolkit = typeof toolkit;

/** What a module exports: a function that answers the operations it adds. */
export type Extension = (toolkit: ExtensionToolkit) => readonly declarations.Declaration[];

const fail = (message: string): never => {
  throw new TypeError(`${extensionVariables.path} ${message}`);
};

/**
 * What is loaded runs with all rights of this process: nobody else may have written it. A group with the number of the
 * user has that user alone; where systems set users up so, files are writable by the group unless said otherwise.
 */
function assertOwn(path: string): void {
  if (process.platform === "win32") return;
  const { uid, gid, mode } = statSync(path);
  if (uid !== process.getuid!() && uid !== 0) fail(`names ${path}, which belongs to another user.`);
  const others = uid === gid && uid !== 0 ? 0o002 : 0o022;
  if (mode & others) fail(`names ${path}, which others may write to: chmod go-w ${path}`);
}

function fileAt(given: string): string {
  if (!isAbsolute(given)) fail(`must be an absolute path, not ${JSON.stringify(given)}.`);
  let path: string;
  try {
    path = realpathSync(given);
  } catch {
    return fail(`names ${given}, which is not there.`);
  }
  assertOwn(path);
  assertOwn(dirname(path));
  return path;
}

function extensionAt(given: string): Extension {
  const path = fileAt(given);
  let loaded: unknown;
  try {
    loaded = require(path) as unknown;
  } catch (error) {
    return fail(`names ${path}, which cannot be loaded as a CommonJS module: ${(error as Error).message}`);
  }
  const { default: inDefault = loaded } = (loaded ?? {}) as { default?: unknown };
  return typeof inDefault === "function"
    ? (inDefault as Extension)
    : fail(`names ${path}, which exports no function that answers operations.`);
}

/**
 * The service with the operations of the module that the environment names; the service as it is where it names none.
 * Throws a TypeError that says what is wrong with the module.
 */
export function serviceFrom(
  environment: Readonly<Record<string, string | undefined>>,
  service: Service = contract,
): Service {
  const path = environment[extensionVariables.path];
  if (!path) return service;
  const trusted = (environment[extensionVariables.effects] ?? "").split(",").map((name) => name.trim());
  const extension = extensionAt(path);
  try {
    const operations: unknown = extension(toolkit);
    if (Array.isArray(operations))
      return extended(service, operations as readonly declarations.Declaration[], trusted.filter(Boolean));
  } catch (error) {
    return fail(`names ${path}, whose operations cannot be added: ${(error as Error).message}`);
  }
  return fail(`names ${path}, whose function answers no list of operations.`);
}
