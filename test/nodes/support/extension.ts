/** The sandbox's extension of the service, as a module that the nodes load. */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { extensionVariables } from "../../../core/call/settings";
import { root } from "./node-red";

const sandboxExtensionCode = `module.exports = require(${JSON.stringify(join(root, "sandbox/dist/extensions/extension.js"))});\n`;

export interface ExtensionModule {
  /** The variables that name it. */
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** Writes a module that only its owner may write to; by default the sandbox's extension. */
export async function extensionModule(content = sandboxExtensionCode): Promise<ExtensionModule> {
  const folder = await mkdtemp(join(tmpdir(), "extension-"));
  const path = join(folder, "extension.cjs");
  await writeFile(path, content);
  await chmod(path, 0o600);
  return {
    env: { [extensionVariables.path]: path, [extensionVariables.effects]: "quotes.create" },
    remove: () => rm(folder, { recursive: true }),
  };
}
