/** What waits for a person, and the buttons that answer in their place. */
import {
  completeBeneficiary,
  decideAccountDetails,
  decideApprovals,
  decideAuthorisation,
  decidePayment,
  listAuthorisations,
} from "../../control/controls";
import type { Stage } from "../../stage";
import { approversIn } from "../../world/parties/approvals";
import type { Trade, TradePayment } from "../../world/trades/trades";
import type { World } from "../../world/world";
import { type Html, html, list } from "../html";
import { rulesOf } from "./approvals";
import { form } from "./form";
import { folded, inTurn, moneyOf, nothing, type Panel, small, tradesOf } from "./parts";
import { contactChoices, namesOf } from "./people";

interface Question {
  readonly title: string;
  /** Of what is asked, where the title does not say it. */
  readonly id?: string;
  readonly terms: Html;
  readonly decisionForm: Html;
}

/** What is known of the terms. */
const termList = (entries: readonly (readonly [string, string | undefined])[]): Html =>
  list(entries.flatMap(([what, value]) => (value ? [[what, value] as const] : [])));

function termsOf(world: World, trade: Trade, payment: TradePayment): Html {
  const { beneficiary, amount, date, createdBy, approvedBy } = payment;
  const { name, iban, accountNumber } = beneficiary;
  return termList([
    [`To ${name}`, moneyOf({ ...trade.buy, amount })],
    ["Account", iban ?? accountNumber ?? "not known"],
    ["From trade", trade.tradeId],
    ["On", date],
    ["Asked for by", createdBy && namesOf(world, [createdBy])],
    ["Approved by", namesOf(world, approvedBy)],
  ]);
}

/** Members of the groups, but for who asked for the payment and who has approved it. */
function mayStillDecide({ approvals, home }: World, { createdBy, approvedBy }: TradePayment) {
  const approvers = approversIn(approvals.get(home.clientId)!.config);
  return (id: string) => approvers.includes(id) && id !== createdBy && !approvedBy.includes(id);
}

/** How a payment that waits is answered, by its status. */
const questionOf: Readonly<Record<string, (world: World, payment: TradePayment) => Omit<Question, "terms">>> =
  {
    "Payment pending of authorization": (world, payment) => ({
      title: `Payment ${payment.paymentId}`,
      decisionForm: form(decidePayment, {
        given: { payment_id: payment.paymentId },
        choices: { contact_id: contactChoices(world, mayStillDecide(world, payment)) },
        decision: "decision",
      }),
    }),
    "Need more beneficiary information": (_world, { paymentId }) => ({
      title: `Beneficiary of payment ${paymentId}`,
      decisionForm: form(completeBeneficiary, { given: { payment_id: paymentId } }),
    }),
  };

const ofTrades = (world: World): Question[] =>
  tradesOf(world).flatMap((trade) =>
    trade.payments.flatMap((payment) => {
      const question = questionOf[payment.status]?.(world, payment);
      return question ? [{ ...question, terms: termsOf(world, trade, payment) }] : [];
    }),
  );

const ofOpenBanking = (stage: Stage): Question[] =>
  listAuthorisations.act(stage, {}).map(({ authorisation_id, title, terms }) => ({
    title,
    id: authorisation_id,
    terms: list(terms.map(({ name, value }) => [name, value])),
    decisionForm: form(decideAuthorisation, { given: { authorisation_id }, decision: "decision" }),
  }));

const ofAccountDetails = ({ accountDetails, home }: World): Question[] =>
  [...accountDetails.values()]
    .filter(({ clientId, status }) => clientId === home.clientId && status === "pending")
    .map(({ accountDetailsId, currency, country, alias }) => ({
      title: "Requested account",
      id: accountDetailsId,
      terms: termList([
        ["Currency", currency],
        ["Country", country],
        ["Alias", alias],
      ]),
      decisionForm: form(decideAccountDetails, {
        given: { account_details_id: accountDetailsId },
        decision: "decision",
      }),
    }));

function ofApprovals({ approvals, home }: World): Question[] {
  const pending = approvals.get(home.clientId)?.pending;
  if (!pending) return [];
  const decisionForm = form(decideApprovals, { decision: "decision" });
  return [{ title: "Another approvals configuration", terms: rulesOf(pending.config), decisionForm }];
}

const questions = (stage: Stage): Question[] =>
  inTurn(
    ofOpenBanking(stage),
    ofTrades(stage.world),
    ofAccountDetails(stage.world),
    ofApprovals(stage.world),
  );

const drawn = ({ title, id, terms, decisionForm }: Question): Html =>
  html`<article>
    <h3>${title} ${small(id)}</h3>
    <div class="terms">${terms}</div>
    ${decisionForm}
  </article>`;

const questionsShown = 12;

function show(stage: Stage): Html {
  const open = questions(stage);
  if (open.length === 0) return nothing("Nothing waits for a decision.");
  return folded(
    "questions",
    open,
    questionsShown,
    (some) => html`<div class="questions">${some.map(drawn)}</div>`,
  );
}

export const waiting: Panel = {
  id: "waiting",
  title: "Waiting for a person",
  place: "top",
  show,
};
