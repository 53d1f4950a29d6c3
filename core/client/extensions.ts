/** Extension modules: user code that adds operations, procedures, watches and interceptors. */
import { realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { inspect } from "node:util";
import { z } from "zod";
import { extensionVariables } from "../call/settings";
import * as builders from "../spec/declare";
import type { Declaration } from "../spec/operation";
import type { Procedure } from "../spec/procedure";
import type { Service } from "../spec/service";
import type { Watch } from "../spec/watch";
import { extendService, type ServiceAdditions } from "../spec/extension";
import { procedure } from "../procedures/procedure";
import * as values from "../values";
import { fxdeskService } from "./fxdesk-service";
import { watch } from "../watches/watch";
import type { Interceptor } from "../call/client-options";

/** Declaration builders passed to an extension module, which therefore needs no imports. */
export type ExtensionToolkit = typeof builders &
  typeof values & {
    readonly procedure: typeof procedure;
    readonly watch: typeof watch;
    readonly z: typeof z;
  };

const commonFields = ["name", "tool", "title", "summary"] as const;

/** Required fields of the entries of each list. */
const requiredFields = {
  operations: [
    ...commonFields,
    "effect",
    "method",
    "path",
    "server",
    "credentials",
    "responses",
    "errors",
    "contract",
  ] satisfies (keyof Declaration)[],
  procedures: [...commonFields, "effect", "input", "uses", "responses", "run"] satisfies (keyof Procedure)[],
  watches: [
    ...commonFields,
    "input",
    "uses",
    "responses",
    "read",
    "identify",
    "state",
    "defaultStart",
    "everyMs",
  ] satisfies (keyof Watch)[],
} as const;

/** Throws a TypeError that lists missing fields. `entryName` identifies an entry without a name. */
function assertComplete(list: keyof typeof requiredFields, entryName: string, entry: unknown): void {
  if (typeof entry !== "object" || entry === null)
    throw new TypeError(`${entryName} must be an object, not ${inspect(entry)}.`);
  const given = entry as Readonly<Record<string, unknown>>;
  const missing = requiredFields[list].filter((name) => given[name] === undefined);
  const { name = entryName } = given;
  if (missing.length > 0) throw new TypeError(`${String(name)} has no ${missing.join(", ")}.`);
}

const operation: typeof builders.operation = (declaration) => {
  assertComplete("operations", "an operation", declaration);
  return builders.operation(declaration);
};

const toolkit: ExtensionToolkit = { ...builders, ...values, operation, procedure, watch, z };

/** Return value of an extension module. */
export interface Additions extends ServiceAdditions {
  /** Interceptors around every call of every surface, outermost first. They enclose the interceptors of the client options. */
  readonly interceptors?: readonly Interceptor[];
}

/** Default export (or `module.exports`) of an extension module. */
export type Extension = (toolkit: ExtensionToolkit) => Additions;

/** A service with the additions of an extension module. */
export interface ExtendedService extends Service {
  readonly interceptors?: readonly Interceptor[];
}

/** Returns the message of a thrown value, which need not be an Error. */
function thrownMessage(thrown: unknown): string {
  const { message } = (thrown ?? {}) as { readonly message?: unknown };
  return typeof message === "string" ? message : `it threw ${inspect(thrown)}`;
}

const fail = (message: string): never => {
  throw new TypeError(`${extensionVariables.path} ${message}`);
};

/**
 * Throws if another user may have written the module, which runs with all rights of this process. A group whose ID equals the
 * user ID is that user's private group; systems with private groups create group-writable files by default.
 */
function assertTrustedOwner(path: string): void {
  if (process.platform === "win32") return;
  const { uid, gid, mode } = statSync(path);
  if (uid !== process.getuid!() && uid !== 0) fail(`names ${path}, which belongs to another user.`);
  const others = uid === gid && uid !== 0 ? 0o002 : 0o022;
  if (mode & others) fail(`names ${path}, which other users can change. Run \`chmod go-w ${path}\`.`);
}

function resolveModulePath(configuredPath: string): string {
  if (!isAbsolute(configuredPath)) fail(`must be an absolute path, not ${JSON.stringify(configuredPath)}.`);
  let path: string;
  try {
    path = realpathSync(configuredPath);
  } catch {
    return fail(`names ${configuredPath}, which does not exist.`);
  }
  assertTrustedOwner(path);
  assertTrustedOwner(dirname(path));
  return path;
}

function loadExtension(configuredPath: string): Extension {
  const path = resolveModulePath(configuredPath);
  let loaded: unknown;
  try {
    loaded = require(path) as unknown;
  } catch (error) {
    return fail(`names ${path}, which cannot be loaded as a CommonJS module: ${thrownMessage(error)}`);
  }
  const { default: defaultExport = loaded } = (loaded ?? {}) as { default?: unknown };
  return typeof defaultExport === "function"
    ? (defaultExport as Extension)
    : fail(`names ${path}, which must export a function that returns its additions.`);
}

const entryTypes = {
  operations: "object",
  procedures: "object",
  watches: "object",
  interceptors: "function",
} as const;

function parseAdditions(given: unknown): Additions {
  const lists = Object.entries(given ?? {}) as [keyof typeof entryTypes, unknown][];
  const isValidList = ([name, list]: (typeof lists)[number]) =>
    name in entryTypes && Array.isArray(list) && list.every((entry) => typeof entry === entryTypes[name]);
  if (lists.length > 0 && lists.every(isValidList)) {
    for (const [list, entries] of lists)
      if (list !== "interceptors")
        (entries as unknown[]).forEach((entry, index) => assertComplete(list, `${list}.${index}`, entry));
    return given as Additions;
  }
  throw new TypeError(
    "it must return at least one of { operations: [...], procedures: [...], watches: [...], interceptors: [...] }.",
  );
}

/**
 * Returns the service extended by the module that `FXDESK_EXTENSIONS` names, or the service itself if it is unset. Throws a
 * TypeError if the module is invalid.
 */
export function serviceFrom(
  environment: Readonly<Record<string, string | undefined>>,
  service: Service = fxdeskService,
): ExtendedService {
  const path = environment[extensionVariables.path];
  if (path === undefined) return service;
  if (path.trim() === "") fail("must not be blank. Give it a value, or do not set it.");
  const trusted = (environment[extensionVariables.effects] ?? "").split(",").map((name) => name.trim());
  const extension = loadExtension(path);
  try {
    const { interceptors = [], ...additions } = parseAdditions(extension(toolkit));
    return { ...extendService(service, additions, trusted.filter(Boolean)), interceptors };
  } catch (error) {
    return fail(`names ${path}, which cannot be used: ${thrownMessage(error)}`);
  }
}
