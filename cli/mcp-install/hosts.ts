/** Where MCP hosts keep their servers. */
import { homedir } from "node:os";
import { join } from "node:path";
import type { EntryLocation } from "./config-edits";

export interface Host {
  readonly title: string;
  readonly location: EntryLocation;
  /** True if entries state their transport. */
  readonly statesType?: true;
  readonly fileIn: (folders: HostFolders) => string;
}

interface HostFolders {
  readonly home: string;
  /** Settings of applications. */
  readonly applications: string;
  readonly codex: string;
}

const inServers = (servers: string, format: EntryLocation["format"] = "json"): EntryLocation => ({
  format,
  servers,
  name: "fxdesk",
});

export const hosts: Readonly<Record<string, Host>> = {
  claude: {
    title: "Claude Desktop",
    location: inServers("mcpServers"),
    fileIn: ({ applications }) => join(applications, "Claude", "claude_desktop_config.json"),
  },
  vscode: {
    title: "VS Code",
    location: inServers("servers"),
    statesType: true,
    fileIn: ({ applications }) => join(applications, "Code", "User", "mcp.json"),
  },
  cursor: {
    title: "Cursor",
    location: inServers("mcpServers"),
    fileIn: ({ home }) => join(home, ".cursor", "mcp.json"),
  },
  codex: {
    title: "Codex",
    location: inServers("mcp_servers", "toml"),
    fileIn: ({ codex }) => join(codex, "config.toml"),
  },
};

/** Returns the configuration file of a host for this user. */
export function configFileOf(
  { fileIn }: Host,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const home = environment.HOME || environment.USERPROFILE || homedir();
  const applications = {
    darwin: join(home, "Library", "Application Support"),
    win32: environment.APPDATA || join(home, "AppData", "Roaming"),
  }[process.platform as string];
  return fileIn({
    home,
    applications: applications ?? (environment.XDG_CONFIG_HOME || join(home, ".config")),
    codex: environment.CODEX_HOME || join(home, ".codex"),
  });
}
