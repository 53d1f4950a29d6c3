/** Writes the JSON Schema of the policy file, for editors: `"$schema": "…/dist/policy.schema.json"` completes and checks it. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { Policy } from "../core/releases/policy";

const policySchemaFile = "policy.schema.json";

export const writePolicySchema = (dist: string): Promise<void> =>
  writeFile(
    join(dist, policySchemaFile),
    `${JSON.stringify(z.toJSONSchema(Policy, { io: "input", target: "draft-7" }), null, 2)}\n`,
  );
