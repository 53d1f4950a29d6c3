/** The sandbox's extension of the service, as a module that the nodes load. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { extensionVariables } from "../../../core/call/settings";
import { tempFolder } from "../../support/resources";
import { root } from "./node-red";

const sandboxExtensionCode = `module.exports = require(${JSON.stringify(join(root, "sandbox/dist/extensions/extension.js"))});\n`;

/**
 * Writes a module that only its owner may write to, by default the sandbox's extension, and returns the variables that name it.
 */
export async function writeExtension(
  content = sandboxExtensionCode,
): Promise<Readonly<Record<string, string>>> {
  const path = join(await tempFolder(), "extension.cjs");
  await writeFile(path, content, { mode: 0o600 });
  return { [extensionVariables.path]: path, [extensionVariables.effects]: "quotes.create" };
}
