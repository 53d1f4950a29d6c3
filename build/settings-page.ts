/** Generates docs/settings.md: all settings in one place, with their variable, flag and field. */
import { flagName } from "../cli/command-line/arguments";
import { loginVariables, mcpCommands, offerVariables, tokenVariable } from "../cli/commands/mcp";
import { extensionSettings } from "../cli/settings/connection-settings";
import { mailSettings } from "../cli/settings/mail-settings";
import { monitoringSettings } from "../cli/settings/monitor";
import { profileFlag } from "../cli/settings/profile";
import { environmentName, settingsOf } from "../core/call/settings";
import { type Service, type Setting, settingSections } from "../core/spec/service";
import editorTexts from "../nodes/locales/en-US/fxdesk.json";
import { table } from "./operations-document";

const code = (text: string): string => `\`${text}\``;

/** Returns the allowed values and the default of a setting. */
function valuesOf({ options, default: fallback, example }: Setting): string {
  const allowed = options?.map((value) => (value === fallback ? `${code(value)} (default)` : code(value)));
  return (allowed ? [` One of ${allowed.join(", ")}.`] : example ? [` Example: ${code(example)}.`] : []).join(
    "",
  );
}

const connectionRow = (setting: Setting): readonly string[] => [
  setting.title,
  code(environmentName(setting.name)),
  setting.secret ? "none: secret" : code(`--${flagName(setting.name)}`),
  setting.description + valuesOf(setting),
];

/** Returns the tables of a connection's settings, one for each section of the form. */
const connectionTables = (service: Service): string[] =>
  [undefined, ...settingSections].flatMap((section) => [
    `## ${section ? editorTexts.connection.sections[section] : "Connection"}`,
    "",
    ...table(
      ["Field in Node-RED", "Variable", "Flag", "Meaning"],
      settingsOf(service)
        .filter((setting) => setting.section === section)
        .map(connectionRow),
    ),
  ]);

/** Returns the variables of `fxdesk mcp`. */
function mcpRows(): (readonly string[])[] {
  const [{ flags }] = mcpCommands([]);
  return [
    ...Object.entries(offerVariables).map(([name, variable]) => [
      code(variable),
      code(`--${name}`),
      flags.find((flag) => flag.name === name)!.description,
    ]),
    [
      code(tokenVariable),
      "none: secret",
      "Token that clients send over HTTP; at least 32 random characters.",
    ],
    ...Object.values(loginVariables).map(([variable, description]) => [code(variable), "none", description]),
  ];
}

const variableRows = (rows: readonly (readonly [variable: string, description: string])[]) =>
  rows.map(([variable, description]) => [code(variable), description]);

/** Variables that fxdesk does not define, or that only one command reads. */
const otherVariables = [
  [environmentName(profileFlag.name), `${profileFlag.description} The flag is \`--${profileFlag.name}\`.`],
  [environmentName("storeKeyTo"), "Key of the new store in `fxdesk store move`."],
  ["HTTPS_PROXY", "Proxy if `FXDESK_PROXY` is not set; `HTTP_PROXY` if neither is."],
  ["NO_PROXY", "Hosts reached without a proxy if `FXDESK_NO_PROXY` is not set."],
  ["PGPASSWORD", "Password of a PostgreSQL store, as for psql."],
  ["XDG_STATE_HOME", "Folder of the store's default file, if it is not `~/.local/state`."],
  ["XDG_CONFIG_HOME", "Folder of the profiles, if it is not `~/.config`."],
] as const;

/** Returns the page as text. */
export const settingsPage = (service: Service): string =>
  [
    "# Settings",
    "",
    "All settings of fxdesk, with the environment variable, the flag of the command line and the field in Node-RED.",
    "",
    "`fxdesk config` shows those in force and where each comes from. Flags take precedence over variables, and a",
    "[profile](login.md#profiles) replaces the variables about the service. Secrets have no flag, because other users of the",
    "machine can read command lines. Paths are absolute.",
    "",
    "In code, `FXDESK_CLIENT_ID` is the option `clientId` of `createClient`, and so on; credentials are in `credentials`. A",
    `connection of Node-RED has the fields, or the variables if “${editorTexts.connection.fromEnvironment}” is chosen.`,
    "`fxdesk mcp` reads the variables of its own process, which the host of the assistant sets.",
    "",
    ...connectionTables(service),
    "## AI assistants",
    "",
    "Of [`fxdesk mcp`](mcp.md):",
    "",
    ...table(["Variable", "Flag", "Meaning"], mcpRows()),
    "## Extensions",
    "",
    "Of [your own operations](client.md#extensions):",
    "",
    ...table(["Variable", "Meaning"], variableRows(extensionSettings)),
    "## E-mail",
    "",
    "Of [e-mail about releases](releases-page.md#mail), with the package `nodemailer`:",
    "",
    ...table(["Variable", "Meaning"], variableRows(mailSettings)),
    "## Monitoring",
    "",
    "Of [health and metrics](monitoring.md):",
    "",
    ...table(["Variable", "Meaning"], variableRows(monitoringSettings)),
    "## Other variables",
    "",
    ...table(["Variable", "Meaning"], variableRows(otherVariables)),
  ].join("\n");
