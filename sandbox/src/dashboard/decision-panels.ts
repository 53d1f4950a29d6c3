/** Panels of the pending decisions and of the payment approval rules. */
import {
  setSignatories,
  decideAccountDetails,
  decideApprovals,
  decideAuthorisation,
  listAuthorisations,
} from "../control/controls/decisions";
import type { SandboxSession } from "../session/sandbox-session";
import { type ApprovalsConfig, approversOf } from "../world/parties/approvals";
import { type Html, html, definitionList } from "../pages/page";
import { controlForm } from "./form";
import { type Panel, foldedList, interleave, smallText, homeTrades, contactChoices } from "./panel";
import { completeBeneficiary, decidePayment } from "../control/controls/money";
import { formatMoney } from "../world/money/currencies";
import type { Trade, TradePayment } from "../world/model/trade";
import type { World } from "../world/model/world";

const formatAmount = (amount: number) => amount.toLocaleString("en-GB");

/** Lists the amount bands with their approvers. */
const describeRules = ({ rules }: ApprovalsConfig): Html =>
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

/** Shows a pending decision. `id` identifies the resource, if the title does not contain it. */
const renderDecision = (title: string, id: string | undefined, terms: Html, decisionForm: Html): Html =>
  html`<article>
    <h3>${title} ${smallText(id)}</h3>
    <div class="terms">${terms}</div>
    ${decisionForm}
  </article>`;

function paymentTerms({ contacts }: World, trade: Trade, payment: TradePayment): Html {
  const { beneficiary, amount, date, createdBy, approvedBy } = payment;
  const { name, iban, accountNumber } = beneficiary;
  const nameOf = (contactId: string) => contacts.get(contactId)?.name ?? contactId;
  return definitionList([
    [`To ${name}`, formatMoney({ ...trade.buy, amount })],
    ["Account", iban ?? accountNumber ?? "unknown"],
    ["From trade", trade.tradeId],
    ["Payment date", date],
    ["Requested by", createdBy && nameOf(createdBy)],
    ["Approved by", approvedBy.map(nameOf).join(", ")],
  ]);
}

/** True for members of the groups who have neither requested nor approved the payment. */
function canStillDecide({ approvals, home }: World, { createdBy, approvedBy }: TradePayment) {
  const approvers = approversOf(approvals.get(home.clientId)!.config);
  return (id: string) => approvers.includes(id) && id !== createdBy && !approvedBy.includes(id);
}

function paymentDecision(world: World, trade: Trade, payment: TradePayment): Html | undefined {
  const { paymentId, status } = payment;
  const fixedValues = { payment_id: paymentId };
  const terms = paymentTerms(world, trade, payment);
  if (status === "Payment pending of authorization") {
    const choices = { contact_id: contactChoices(world, canStillDecide(world, payment)) };
    const form = controlForm(decidePayment, { fixedValues, choices, decision: "decision" });
    return renderDecision(`Payment ${paymentId}`, undefined, terms, form);
  }
  if (status !== "Need more beneficiary information") return undefined;
  const form = controlForm(completeBeneficiary, { fixedValues });
  return renderDecision(`Beneficiary of payment ${paymentId}`, undefined, terms, form);
}

const tradeDecisions = (world: World): Html[] =>
  homeTrades(world).flatMap((trade) =>
    trade.payments.flatMap((payment) => paymentDecision(world, trade, payment) ?? []),
  );

const openBankingDecisions = (session: SandboxSession): Html[] =>
  listAuthorisations
    .act(session, {})
    .map(({ authorisation_id, title, terms }) =>
      renderDecision(
        title,
        authorisation_id,
        definitionList(terms.map(({ name, value }) => [name, value])),
        controlForm(decideAuthorisation, { fixedValues: { authorisation_id }, decision: "decision" }),
      ),
    );

const accountDetailsDecisions = ({ accountDetails, home }: World): Html[] =>
  [...accountDetails.values()]
    .filter(({ clientId, status }) => clientId === home.clientId && status === "pending")
    .map(({ accountDetailsId, currency, country, alias }) =>
      renderDecision(
        "Requested account",
        accountDetailsId,
        definitionList([
          ["Currency", currency],
          ["Country", country],
          ["Alias", alias],
        ]),
        controlForm(decideAccountDetails, {
          fixedValues: { account_details_id: accountDetailsId },
          decision: "decision",
        }),
      ),
    );

function approvalsDecisions({ approvals, home }: World): Html[] {
  const pending = approvals.get(home.clientId)?.pending;
  if (!pending) return [];
  const form = controlForm(decideApprovals, { decision: "decision" });
  return [renderDecision("Changed approvals configuration", undefined, describeRules(pending.config), form)];
}

const maxDecisionsShown = 12;

function renderPendingDecisions(session: SandboxSession): Html {
  const { world } = session;
  const open = interleave(
    openBankingDecisions(session),
    tradeDecisions(world),
    accountDetailsDecisions(world),
    approvalsDecisions(world),
  );
  return foldedList(
    "decisions",
    open,
    maxDecisionsShown,
    (some) => html`<div class="decisions">${some}</div>`,
  );
}

export const pendingDecisionsPanel: Panel = {
  id: "decisions",
  title: "Pending decisions",
  area: "top",
  show: renderPendingDecisions,
};
