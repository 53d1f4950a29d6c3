/** Writes the declaration files of the contract, which replace the types inferred by the compiler. */
import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { callablesOf, type Service } from "../core/spec/service";
import { fxdeskService } from "../core/client/fxdesk-service";
import { clientTypes } from "./client-types";
import { operationTypes, procedureTypes, valueTypes, watchTypes } from "./operation-types";

/** Returns the declaration files, by the path of the compiler output that they replace. */
export const typeFiles = (
  service: Pick<Service, "operations" | "procedures" | "watches">,
): Readonly<Record<string, string>> => ({
  "core/client/fxdesk-client.d.ts": clientTypes([...callablesOf(service), ...(service.watches ?? [])]),
  "core/contract/all.d.ts": operationTypes(service.operations),
  "core/contract/operation-values.d.ts": valueTypes(service.operations),
  "core/procedures/all.d.ts": procedureTypes(service.procedures ?? []),
  "core/watches/all.d.ts": watchTypes(service.watches ?? []),
});

export async function writeTypes(dist: string): Promise<void> {
  for (const [path, text] of Object.entries(typeFiles(fxdeskService))) {
    const file = join(dist, path);
    await access(file);
    await writeFile(file, text);
  }
}
