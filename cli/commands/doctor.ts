/** The `fxdesk doctor` command: checks everything that a call needs, and says what to do. */
import type { ClientOptions } from "../../core/call/client-options";
import { environmentName } from "../../core/call/settings";
import { InvalidInput } from "../../core/spec/errors";
import type { Service } from "../../core/spec/service";
import { storeExists } from "../../core/store/settings";
import type { ParsedArguments } from "../command-line/arguments";
import { type Command, columns, jsonFlag, printResult } from "../command-line/command";
import { clientOptions } from "../settings/client-options";
import {
  asUsageError,
  credentialVariables,
  settingLocation,
  storeSettingsFrom,
  useStore,
} from "../settings/connection-settings";
import { connectionAndProfileOptions, effectiveSettings, type Settings } from "../settings/profile";
import { printable, type Terminal } from "../terminal/terminal";

interface Finding {
  readonly check: string;
  readonly state: "ok" | "warning" | "failed";
  readonly message: string;
  /** What to do. */
  readonly remedy?: string;
}

const checkFailed = 1;

const ok = (check: string, message: string): Finding => ({ check, state: "ok", message });
const failed = (check: string, message: string, remedy: string): Finding => ({
  check,
  state: "failed",
  message,
  remedy,
});

/** Runs a check that throws what it finds. */
const checking = async (
  check: string,
  remedy: string,
  work: () => Promise<Finding | Finding[]>,
): Promise<Finding[]> => {
  try {
    return [await work()].flat();
  } catch (error) {
    return [failed(check, (error as Error).message, remedy)];
  }
};

/** Tokens and signatures tolerate small differences. */
const maxClockOffsetMs = 60_000;

function clockFinding(offsetMs: number | undefined): Finding[] {
  if (offsetMs === undefined) return [];
  const seconds = Math.round(Math.abs(offsetMs) / 1_000);
  if (Math.abs(offsetMs) <= maxClockOffsetMs) return [ok("Clock", "agrees with the service")];
  const message = `${seconds} s ${offsetMs > 0 ? "behind" : "ahead of"} the service`;
  return [failed("Clock", message, "Set the clock of this computer, best with NTP.")];
}

async function networkFindings(service: Service, options: ClientOptions): Promise<Finding[]> {
  const { probeNetwork } = await import("../../core/client/probe-network.js");
  const { address, proxy, problem, clockOffsetMs } = await probeNetwork(service, options);
  if (address === undefined)
    return [
      failed(
        "Address",
        "The address of the service is not set.",
        `Set ${environmentName("domain")} or ${environmentName("baseUrl")}, use --profile, or try fxdesk sandbox.`,
      ),
    ];
  const way = proxy ? `${proxy.address} (set by ${proxy.source})` : "none";
  return [
    ok("Address", address),
    ok("Proxy", way),
    problem === undefined
      ? ok("Network", "the service responds")
      : failed(
          "Network",
          problem,
          "Check the address. See docs/network.md for proxies, certificate authorities and client certificates.",
        ),
    ...clockFinding(clockOffsetMs),
  ];
}

async function credentialFinding(service: Service, options: ClientOptions): Promise<Finding> {
  const [{ createClient }, { checkConnection }] = await Promise.all([
    import("../../core/client/client.js"),
    import("../../core/client/connection-check.js"),
  ]);
  const client = createClient(options, service);
  try {
    const { error, authorised } = await checkConnection(client);
    if (!error) return ok("Credentials", "accepted");
    const { code } = error;
    const remedy =
      authorised === false
        ? `Set ${credentialVariables(service).join(", ")}, or log in with fxdesk login.`
        : code === "not_found"
          ? `Check ${settingLocation("clientId", service)} and the address.`
          : code === "invalid_response"
            ? "Check the address."
            : "Try again later. If the error persists, ask your provider.";
    return failed("Credentials", error.message, remedy);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const locations = error.violations.map(({ field }) => settingLocation(field, service) ?? field);
    return failed("Credentials", error.message, `Set ${locations.join(", ")}.`);
  } finally {
    await client.close();
  }
}

async function storeFindings(parsed: ParsedArguments, terminal: Terminal): Promise<Finding[]> {
  const settings = storeSettingsFrom(parsed, terminal);
  if (!storeExists(settings)) return [ok("Store", "will be created with the first money call")];
  const { describeHalt, listHalts } = await import("../../core/store/halt.js");
  return useStore(parsed, terminal, async (store) => {
    const halts = await listHalts(store);
    return [
      ok("Store", store.database.description),
      ...halts.map((halt) => ({
        check: "Halt",
        state: "warning" as const,
        message: describeHalt(halt),
        remedy: "End it with fxdesk resume.",
      })),
    ];
  });
}

async function releaseFindings(service: Service, settings: Settings): Promise<Finding[]> {
  const [{ loadPolicy }, { loadPeople }] = await Promise.all([
    import("../../core/releases/policy.js"),
    import("../../core/people/people-file.js"),
  ]);
  const { policy, people } = settings;
  const peopleFindings =
    people === undefined
      ? []
      : await checking("People", "Check it with fxdesk people list.", async () => {
          await loadPeople(people);
          return ok("People", people);
        });
  const policyFindings =
    policy === undefined
      ? [ok("Policy", "none: money calls need no release")]
      : await checking(
          "Policy",
          "Correct the file; see docs/releases.md. Until then no money is sent.",
          async () => {
            const file = people === undefined ? undefined : await loadPeople(people).catch(() => undefined);
            await loadPolicy(policy, service, file);
            return ok("Policy", policy);
          },
        );
  return [...policyFindings, ...peopleFindings];
}

async function connectionFindings(
  service: Service,
  parsed: ParsedArguments,
  terminal: Terminal,
): Promise<Finding[]> {
  const settings = await effectiveSettings(parsed, terminal, service);
  const options = clientOptions(settings, service);
  const network = await asUsageErrors(service, () => networkFindings(service, options));
  const isReached = network.every(({ state, check }) => state === "ok" || check === "Clock");
  const credentials = isReached
    ? await checking("Credentials", "Complete the settings.", () => credentialFinding(service, options))
    : [];
  return [...network, ...credentials, ...(await releaseFindings(service, settings))];
}

/** Converts the TypeError of an invalid setting. */
const asUsageErrors = <T>(service: Service, work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) =>
    asUsageError(() => {
      throw error;
    }, service),
  );

const marks = { ok: "ok", warning: "warning", failed: "FAILED" } as const;

const rowsOf = (findings: readonly Finding[]) =>
  findings.flatMap(({ check, state, message, remedy }) => [
    [`${marks[state].padEnd(marks.warning.length)}  ${check}`, printable(message)] as const,
    ...(remedy ? [["", remedy] as const] : []),
  ]);

export const doctorCommand = (service: Service): Command => ({
  ...connectionAndProfileOptions(service),
  usage: "fxdesk doctor [flags]",
  description:
    "Checks what a call needs: Node.js, settings, address, proxy, network, clock, credentials, store, policy and people file, with one " +
    "read of the service. Says what to do about each problem, and exits with code 1 if something is broken.",
  flags: [jsonFlag],
  async run(parsed, terminal) {
    const findings = [
      ok("Node.js", process.versions.node),
      ...(await checking("Settings", "Correct the setting; fxdesk config shows where each comes from.", () =>
        connectionFindings(service, parsed, terminal),
      )),
      ...(await checking("Store", "Check it with fxdesk store check.", () =>
        storeFindings(parsed, terminal),
      )),
    ];
    await printResult(parsed, terminal, findings, `${columns(rowsOf(findings))}\n`);
    return findings.some(({ state }) => state === "failed") ? checkFailed : undefined;
  },
});
