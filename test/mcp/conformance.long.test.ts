/** The official conformance tests of MCP against the HTTP server, with the tools, resources and prompts that they call. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newestModule, newestNode } from "../support/newest";
import { tempFolder } from "../support/resources";
import { openSandboxAndClient } from "../support/sandboxes";
import { serve } from "./support/clients";
import { addConformanceFixtures } from "./support/conformance-fixtures";

/** Scenarios that need a session, which a stateless server does not have, or logging, which fxdesk does not offer. */
const notOffered = [
  "logging-set-level",
  "tools-call-with-logging",
  "tools-call-sampling",
  "tools-call-elicitation",
  "elicitation-sep1034-defaults",
  "elicitation-sep1330-enums",
  "server-sse-multiple-streams",
  "resources-subscribe",
  "resources-unsubscribe",
];

/** Runs the tests of a revision. They fail, too, if a scenario passes that is expected to fail. */
async function runConformance(
  url: string,
  revision: string,
  expectedFailures: readonly string[],
): Promise<{ code: unknown; output: string }> {
  const expected = join(await tempFolder(), "expected-failures.yml");
  await writeFile(expected, JSON.stringify({ server: expectedFailures }));
  const script = newestModule("@modelcontextprotocol/conformance/dist/index.js");
  const options = ["--url", url, "--requirements", revision, "--expected-failures", expected];
  return new Promise((resolve) =>
    execFile(newestNode, [script, "server", ...options], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    ),
  );
}

(process.env.FXDESK_NEWEST ? test : test.skip).each([
  ["2026-07-28", []],
  ["2025-11-25", notOffered],
])(
  "the server meets every requirement of revision %s that it can have",
  async (revision, expectedFailures) => {
    addConformanceFixtures();
    const { client } = await openSandboxAndClient();
    const { url } = await serve({ client });
    const { code, output } = await runConformance(url, revision, expectedFailures);
    expect({ code, output: code === 0 ? "" : output }).toEqual({ code: 0, output: "" });
  },
  120_000,
);
