/** What waits for a person, and the buttons that answer in their place. */
import {
  completeBeneficiary,
  decideAccountDetails,
  decideApprovals,
  decideAuthorisation,
  decidePayment,
  listAuthorisations,
} from "../../control/controls";
import type { SandboxSession } from "../../sandbox-session";
import { approversOf } from "../../world/parties/approvals";
import type { Trade, TradePayment } from "../../world/trades/trades";
import type { World } from "../../world/world";
import { type Html, html, definitionList } from "../html";
import { describeRules } from "./approvals";
import { controlForm } from "./form";
import { foldedList, interleave, moneyText, emptyState, type Panel, smallText, homeTrades } from "./panel";
import { contactChoices, contactNames } from "./contacts";

interface Question {
  readonly title: string;
  /** Of what is asked, where the title does not say it. */
  readonly id?: string;
  readonly terms: Html;
  readonly decisionForm: Html;
}

/** What is known of the terms. */
const definedTerms = (entries: readonly (readonly [string, string | undefined])[]): Html =>
  definitionList(entries.flatMap(([name, value]) => (value ? [[name, value] as const] : [])));

function paymentTerms(world: World, trade: Trade, payment: TradePayment): Html {
  const { beneficiary, amount, date, createdBy, approvedBy } = payment;
  const { name, iban, accountNumber } = beneficiary;
  return definedTerms([
    [`To ${name}`, moneyText({ ...trade.buy, amount })],
    ["Account", iban ?? accountNumber ?? "not known"],
    ["From trade", trade.tradeId],
    ["On", date],
    ["Asked for by", createdBy && contactNames(world, [createdBy])],
    ["Approved by", contactNames(world, approvedBy)],
  ]);
}

/** Members of the groups, but for who asked for the payment and who has approved it. */
function canStillDecide({ approvals, home }: World, { createdBy, approvedBy }: TradePayment) {
  const approvers = approversOf(approvals.get(home.clientId)!.config);
  return (id: string) => approvers.includes(id) && id !== createdBy && !approvedBy.includes(id);
}

/** How a payment that waits is answered, by its status. */
const questionByStatus: Readonly<
  Record<string, (world: World, payment: TradePayment) => Omit<Question, "terms">>
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

const tradeQuestions = (world: World): Question[] =>
  homeTrades(world).flatMap((trade) =>
    trade.payments.flatMap((payment) => {
      const question = questionByStatus[payment.status]?.(world, payment);
      return question ? [{ ...question, terms: paymentTerms(world, trade, payment) }] : [];
    }),
  );

const openBankingQuestions = (session: SandboxSession): Question[] =>
  listAuthorisations.act(session, {}).map(({ authorisation_id, title, terms }) => ({
    title,
    id: authorisation_id,
    terms: definitionList(terms.map(({ name, value }) => [name, value])),
    decisionForm: controlForm(decideAuthorisation, {
      fixedValues: { authorisation_id },
      decision: "decision",
    }),
  }));

const accountDetailsQuestions = ({ accountDetails, home }: World): Question[] =>
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

function approvalsQuestions({ approvals, home }: World): Question[] {
  const pending = approvals.get(home.clientId)?.pending;
  if (!pending) return [];
  const decisionForm = controlForm(decideApprovals, { decision: "decision" });
  return [{ title: "Another approvals configuration", terms: describeRules(pending.config), decisionForm }];
}

const allQuestions = (session: SandboxSession): Question[] =>
  interleave(
    openBankingQuestions(session),
    tradeQuestions(session.world),
    accountDetailsQuestions(session.world),
    approvalsQuestions(session.world),
  );

const renderQuestion = ({ title, id, terms, decisionForm }: Question): Html =>
  html`<article>
    <h3>${title} ${smallText(id)}</h3>
    <div class="terms">${terms}</div>
    ${decisionForm}
  </article>`;

const maxQuestionsShown = 12;

function renderPendingDecisions(session: SandboxSession): Html {
  const open = allQuestions(session);
  if (open.length === 0) return emptyState("Nothing waits for a decision.");
  return foldedList(
    "questions",
    open,
    maxQuestionsShown,
    (some) => html`<div class="questions">${some.map(renderQuestion)}</div>`,
  );
}

export const pendingDecisionsPanel: Panel = {
  id: "waiting",
  title: "Waiting for a person",
  area: "top",
  show: renderPendingDecisions,
};
