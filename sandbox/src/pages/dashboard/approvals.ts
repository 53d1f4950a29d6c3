/** How many have to approve a payment. */
import { setSignatories } from "../../control/controls";
import type { Stage } from "../../stage";
import type { ApprovalsConfig } from "../../world/parties/approvals";
import { type Html, html, list } from "../html";
import { form } from "./form";
import type { Panel } from "./parts";

const inWords = (amount: number) => amount.toLocaleString("en-GB");

/** The bands of amounts, and who approves in each. */
export const rulesOf = ({ rules }: ApprovalsConfig): Html =>
  list(
    rules.map(({ min_amount, max_amount, currency, combinations }) => {
      const until = max_amount === null ? "and more" : `to ${inWords(max_amount)}`;
      const ways = combinations.map((each) =>
        each.map((part) => `${part.approvals} × ${part.group}`).join(" + "),
      );
      return [`${inWords(min_amount)} ${until} ${currency}`, ways.join(" or ")];
    }),
  );

function show({ world }: Stage): Html {
  const { config, settings } = world.approvals.get(world.home.clientId)!;
  const text = settings.enabled
    ? "Payments from trades wait for"
    : "Not in use. Payments from trades would wait for";
  const { signatories } = world.openBanking;
  return html`<p>${text}:</p>
    ${rulesOf(config)}
    <p>Open-banking payments wait for ${signatories} ${signatories === 1 ? "person" : "people"}.</p>`;
}

export const approvals: Panel = {
  id: "approvals",
  title: "Approvals",
  place: "side",
  show,
  forms: () => form(setSignatories),
};
