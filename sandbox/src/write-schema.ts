/** Writes the JSON Schema of world files for editors. Run by the build. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { worldSchema } from "./world/seed/world-file";

writeFileSync(join(__dirname, "world.schema.json"), `${JSON.stringify(worldSchema(), undefined, 2)}\n`);
