/** The commands with which a second administrator agrees to a change, and administrators to a policy. */
import { resolve } from "node:path";
import { approvePolicy } from "../../core/people/administration";
import { byRoot, confirmChange, discardChange, type PeopleChange } from "../../core/people/change-people";
import { loadPolicy } from "../../core/releases/policy";
import { requiredText } from "../command-line/arguments";
import type { MemberCommand } from "../command-line/command";
import type { ServiceLoader } from "../settings/connection-settings";
import { byFlag, type ChangeInput, personCommand, report } from "./person-command";

/** Returns a command with which an administrator agrees to a change. */
const agreeCommand = (
  declared: Pick<MemberCommand, "operand" | "description" | "flags">,
  change: (input: ChangeInput) => Promise<PeopleChange>,
): MemberCommand =>
  personCommand({ requiredFlags: "--by <name>", ...declared }, async (input) => {
    const made = await change(input);
    return report(made, `${made.person}: ${made.change}.`, input.terminal);
  });

export const confirm = agreeCommand(
  {
    operand: "<id>",
    description: "Makes a change that another administrator requested, if the approved policy asks for two.",
    flags: [
      byFlag,
      {
        name: "root",
        description: "Without --by: only as root, and only while there is no other administrator.",
      },
    ],
  },
  async ({ name: id, path, parsed, credentials }) => {
    if (parsed.boolean("root")) return confirmChange(path, id, byRoot);
    requiredText(parsed, byFlag);
    return confirmChange(path, id, await credentials());
  },
);

export const discard = agreeCommand(
  {
    operand: "<id>",
    description: "Deletes a change that waits for another administrator.",
    flags: [byFlag],
  },
  async ({ name: id, path, parsed, credentials }) => {
    requiredText(parsed, byFlag);
    return discardChange(path, id, await credentials());
  },
);

export const approvePolicyCommand = (loadService: ServiceLoader): MemberCommand =>
  agreeCommand(
    {
      operand: "<file>",
      description:
        "Approves a policy file. From then on, every other content of the policy is refused until administrators approve it.",
      flags: [byFlag],
    },
    async ({ name: file, path, parsed, credentials }) => {
      requiredText(parsed, byFlag);
      const { hash, administration } = await loadPolicy(resolve(file), await loadService(), undefined);
      return approvePolicy(path, { hash: hash!, administration }, await credentials());
    },
  );
