/** What a module of the user's adds to the service: operations, procedures, watches, and links round every call. */
import { realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { z } from "zod";
import { extensionVariables } from "./settings";
import * as builders from "../declaration/declare";
import type { Service } from "../declaration/service";
import { extendService, type ServiceAdditions } from "../declaration/extension";
import { procedure } from "../procedures/procedure";
import * as values from "../schema";
import { fxdeskService } from "../service";
import { watch } from "../watches/watch";
import type { Interceptor } from "./interceptors";

/** What a module is given to declare operations with, so that it needs nothing installed beside it. */
export type ExtensionToolkit = typeof builders &
  typeof values & {
    readonly procedure: typeof procedure;
    readonly watch: typeof watch;
    readonly z: typeof z;
  };

const toolkit: ExtensionToolkit = { ...builders, ...values, procedure, watch, z };

/** What a module adds. */
export interface Additions extends ServiceAdditions {
  /** Round every call of every surface, outside of those that code gives its client; the first one is outermost. */
  readonly interceptors?: readonly Interceptor[];
}

/** What a module exports: a function that returns what it adds. */
export type Extension = (toolkit: ExtensionToolkit) => Additions;

/** A service as a module extends it. */
export interface ExtendedService extends Service {
  readonly interceptors?: readonly Interceptor[];
}

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
    : fail(`names ${path}, which exports no function that returns what it adds.`);
}

const kinds = {
  operations: "object",
  procedures: "object",
  watches: "object",
  interceptors: "function",
} as const;

function additionsOf(given: unknown): Additions {
  const lists = Object.entries(given ?? {}) as [keyof typeof kinds, unknown][];
  const isRight = ([name, list]: (typeof lists)[number]) =>
    name in kinds && Array.isArray(list) && list.every((entry) => typeof entry === kinds[name]);
  if (lists.length > 0 && lists.every(isRight)) return given as Additions;
  throw new TypeError(
    "it must return { operations: [...], procedures: [...], watches: [...], interceptors: [...] }, one of them at least.",
  );
}

/**
 * The service with what the module adds that the environment names; the service as it is where it names none. Throws a
 * TypeError that says what is wrong with the module.
 */
export function serviceFrom(
  environment: Readonly<Record<string, string | undefined>>,
  service: Service = fxdeskService,
): ExtendedService {
  const path = environment[extensionVariables.path];
  if (!path) return service;
  const trusted = (environment[extensionVariables.effects] ?? "").split(",").map((name) => name.trim());
  const extension = extensionAt(path);
  try {
    const { interceptors = [], ...added } = additionsOf(extension(toolkit));
    return { ...extendService(service, added, trusted.filter(Boolean)), interceptors };
  } catch (error) {
    return fail(`names ${path}, which adds nothing: ${(error as Error).message}`);
  }
}
