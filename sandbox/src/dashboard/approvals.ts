/** Panel of the payment approval rules. */
import { setSignatories } from "../control/controls";
import type { SandboxSession } from "../session/sandbox-session";
import type { ApprovalsConfig } from "../world/parties/approvals";
import { type Html, html, definitionList } from "../pages/html";
import { controlForm } from "./form";
import type { Panel } from "./panel";

const formatAmount = (amount: number) => amount.toLocaleString("en-GB");

/** Lists the amount bands with their approvers. */
export const describeRules = ({ rules }: ApprovalsConfig): Html =>
  definitionList(
    rules.map(({ min_amount, max_amount, currency, combinations }) => {
      const until = max_amount === null ? "or more" : `to ${formatAmount(max_amount)}`;
      const alternatives = combinations.map((each) =>
        each.map((part) => `${part.approvals} × ${part.group}`).join(" + "),
      );
      return [`${formatAmount(min_amount)} ${until} ${currency}`, alternatives.join(" or ")];
    }),
  );

function renderApprovals({ world }: SandboxSession): Html {
  const { config, settings } = world.approvals.get(world.home.clientId)!;
  const text = settings.enabled
    ? "Payments from trades need these approvals"
    : "Disabled. When enabled, payments from trades need these approvals";
  const { signatories } = world.openBanking;
  return html`<p>${text}:</p>
    ${describeRules(config)}
    <p>
      Open-banking payments need authorisation by ${signatories} ${signatories === 1 ? "person" : "people"}.
    </p>`;
}

export const approvalsPanel: Panel = {
  id: "approvals",
  title: "Approvals",
  area: "side",
  show: renderApprovals,
  forms: () => controlForm(setSignatories),
};
