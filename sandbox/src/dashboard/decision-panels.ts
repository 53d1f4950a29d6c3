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
import {
  type Panel,
  foldedList,
  interleave,
  moneyText,
  emptyState,
  smallText,
  homeTrades,
  contactChoices,
  contactNames,
} from "./panel";
import { completeBeneficiary, decidePayment } from "../control/controls/money";
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

interface PendingDecision {
  readonly title: string;
  /** ID of the resource, if the title does not contain it. */
  readonly id?: string;
  readonly terms: Html;
  readonly decisionForm: Html;
}

/** Lists the terms that have a value. */
const definedTerms = (entries: readonly (readonly [string, string | undefined])[]): Html =>
  definitionList(entries.flatMap(([name, value]) => (value ? [[name, value] as const] : [])));

function paymentTerms(world: World, trade: Trade, payment: TradePayment): Html {
  const { beneficiary, amount, date, createdBy, approvedBy } = payment;
  const { name, iban, accountNumber } = beneficiary;
  return definedTerms([
    [`To ${name}`, moneyText({ ...trade.buy, amount })],
    ["Account", iban ?? accountNumber ?? "unknown"],
    ["From trade", trade.tradeId],
    ["Payment date", date],
    ["Requested by", createdBy && contactNames(world, [createdBy])],
    ["Approved by", contactNames(world, approvedBy)],
  ]);
}

/** True for members of the groups who have neither requested nor approved the payment. */
function canStillDecide({ approvals, home }: World, { createdBy, approvedBy }: TradePayment) {
  const approvers = approversOf(approvals.get(home.clientId)!.config);
  return (id: string) => approvers.includes(id) && id !== createdBy && !approvedBy.includes(id);
}

/** Decision forms of pending payments, by status. */
const decisionByStatus: Readonly<
  Record<string, (world: World, payment: TradePayment) => Omit<PendingDecision, "terms">>
> = {
  "Payment pending of authorization": (world, payment) => ({
    title: `Payment ${payment.paymentId}`,
    decisionForm: controlForm(decidePayment, {
      fixedValues: { payment_id: payment.paymentId },
      choices: { contact_id: contactChoices(world, canStillDecide(world, payment)) },
      decision: "decision",
    }),
  }),
  "Need more beneficiary information": (_world, { paymentId }) => ({
    title: `Beneficiary of payment ${paymentId}`,
    decisionForm: controlForm(completeBeneficiary, { fixedValues: { payment_id: paymentId } }),
  }),
};

const tradeDecisions = (world: World): PendingDecision[] =>
  homeTrades(world).flatMap((trade) =>
    trade.payments.flatMap((payment) => {
      const pendingDecision = decisionByStatus[payment.status]?.(world, payment);
      return pendingDecision ? [{ ...pendingDecision, terms: paymentTerms(world, trade, payment) }] : [];
    }),
  );

const openBankingDecisions = (session: SandboxSession): PendingDecision[] =>
  listAuthorisations.act(session, {}).map(({ authorisation_id, title, terms }) => ({
    title,
    id: authorisation_id,
    terms: definitionList(terms.map(({ name, value }) => [name, value])),
    decisionForm: controlForm(decideAuthorisation, {
      fixedValues: { authorisation_id },
      decision: "decision",
    }),
  }));

const accountDetailsDecisions = ({ accountDetails, home }: World): PendingDecision[] =>
  [...accountDetails.values()]
    .filter(({ clientId, status }) => clientId === home.clientId && status === "pending")
    .map(({ accountDetailsId, currency, country, alias }) => ({
      title: "Requested account",
      id: accountDetailsId,
      terms: definedTerms([
        ["Currency", currency],
        ["Country", country],
        ["Alias", alias],
      ]),
      decisionForm: controlForm(decideAccountDetails, {
        fixedValues: { account_details_id: accountDetailsId },
        decision: "decision",
      }),
    }));

function approvalsDecisions({ approvals, home }: World): PendingDecision[] {
  const pending = approvals.get(home.clientId)?.pending;
  if (!pending) return [];
  const decisionForm = controlForm(decideApprovals, { decision: "decision" });
  return [{ title: "Changed approvals configuration", terms: describeRules(pending.config), decisionForm }];
}

const allDecisions = (session: SandboxSession): PendingDecision[] =>
  interleave(
    openBankingDecisions(session),
    tradeDecisions(session.world),
    accountDetailsDecisions(session.world),
    approvalsDecisions(session.world),
  );

const renderDecision = ({ title, id, terms, decisionForm }: PendingDecision): Html =>
  html`<article>
    <h3>${title} ${smallText(id)}</h3>
    <div class="terms">${terms}</div>
    ${decisionForm}
  </article>`;

const maxDecisionsShown = 12;

function renderPendingDecisions(session: SandboxSession): Html {
  const open = allDecisions(session);
  if (open.length === 0) return emptyState("No pending decisions.");
  return foldedList(
    "decisions",
    open,
    maxDecisionsShown,
    (some) => html`<div class="decisions">${some.map(renderDecision)}</div>`,
  );
}

export const pendingDecisionsPanel: Panel = {
  id: "decisions",
  title: "Pending decisions",
  area: "top",
  show: renderPendingDecisions,
};
