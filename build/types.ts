/** The declaration files that show the contract. They take the place of what the compiler infers from its schemas. */
import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { contract } from "../core/contract/contract";
import type { Service } from "../core/declaration/service";
import { clientTypes } from "./client-types";
import { operationTypes, valueTypes } from "./operation-types";

/** The written declaration files, by the path of what the compiler made in their place. */
export const typeFiles = ({ operations }: Pick<Service, "operations">): Readonly<Record<string, string>> => ({
  "core/client/fxdesk-client.d.ts": clientTypes(operations),
  "core/contract/all.d.ts": operationTypes(operations),
  "core/contract/operation-values.d.ts": valueTypes(operations),
});

export async function writeTypes(dist: string): Promise<void> {
  for (const [path, text] of Object.entries(typeFiles(contract))) {
    const file = join(dist, path);
    await access(file);
    await writeFile(file, text);
  }
}
