/** What stands behind the controls. */
import { Big } from "big.js";
import type { StoredFile, ValuesOf } from "../behaviour";
import { fileOf, type Mail } from "../outbox";
import { conclude, scaStatusOf } from "../open-banking/authorisation";
import { Refusal } from "../refusal";
import type { Stage } from "../stage";
import { decide } from "../world/account-details";
import { putInForce } from "../world/approvals";
import { timeProblem } from "../world/clock";
import { fits, largest, mostHeld, mostOf } from "../world/currencies";
import { dayMs, dayOf } from "../world/days";
import { pairOf, tradedCurrencies } from "../world/fx";
import { receive } from "../world/incoming";
import { revalueAll } from "../world/margin";
import { available } from "../world/movements";
import { demo, mayActFor } from "../world/parties";
import { completeBeneficiary, decidePayment, orderPayment, returnPayment } from "../world/payments";
import { befall } from "../world/statements";
import type { Trade, TradePayment } from "../world/trades";
import type { World } from "../world/world";
import type { controls } from "./controls";
import { longestDays } from "./controls/parts";

type Control = (typeof controls)[number];

type MethodOf<C> = C extends { readonly name: `sandbox.${infer M}` } ? M : never;

type BodyOf<C> = C extends { answers: { 200: { schema: { _zod: { output: infer T } } } } }
  ? T
  : C extends { answers: { 200: { kind: "file" } } }
    ? StoredFile
    : void;

/** One action for each control: takes the checked values and answers the body, or throws a Refusal. */
type Actions = {
  readonly [C in Control as MethodOf<C>]: (stage: Stage, values: ValuesOf<C>) => BodyOf<C>;
};

const missing = (what: string, id: string) => new Refusal(404, "not_found", `There is no such ${what}.`, id);
const conflict = (code: string, says: string) => new Refusal(409, code, says);
const unfit = (details: string) => new Refusal(400, "validation_error", "The request does not fit.", details);

const clockOf = ({ world }: Stage) => ({ now: world.now.toISOString() });

function assertTime(time: Date): void {
  const problem = timeProblem(time);
  if (problem !== undefined) throw unfit(problem);
}

function advance(stage: Stage, milliseconds: number) {
  const { world } = stage;
  assertTime(new Date(world.clock.now().getTime() + milliseconds));
  world.clock.advance(milliseconds);
  world.catchUp();
  return clockOf(stage);
}

/** The pair as it stands between two currencies, when both are traded. */
function currenciesOf(symbol: string): readonly [string, string] {
  const [base, quoted] = [symbol.slice(0, 3), symbol.slice(3)];
  const unknown = [base, quoted].find((currency) => !tradedCurrencies.includes(currency));
  if (unknown !== undefined) throw unfit(`symbol: ${unknown} is not traded`);
  if (base === quoted) throw unfit("symbol must be two currencies");
  return [base, quoted];
}

const priceOf = ({ rates, now }: World, base: string, quoted: string) => {
  const { symbol, rate } = rates.mid(base, quoted, dayOf(now));
  return { symbol, rate: rate.toNumber() };
};

/** The account with an id, else the demo company's in a currency. */
function accountFor({ accounts }: World, accountId: string | undefined, currency: string | undefined) {
  const found = [...accounts.values()].find((account) =>
    accountId === undefined
      ? account.clientId === demo.clientId && account.currency === currency
      : account.accountId === accountId.toLowerCase(),
  );
  if (!found) throw missing("account", String(accountId ?? currency));
  return found;
}

const mailView = ({ to, subject, text, sentAt, attachments }: Mail, index: number) => ({
  mail: index + 1,
  to,
  subject,
  text,
  sent_at: sentAt.toISOString(),
  attachments: attachments.map(({ fileName, contentType, bytes }) => ({
    file_name: fileName,
    content_type: contentType,
    size: bytes.length,
  })),
});

function mailAt({ world }: Stage, number: number): Mail {
  const found = world.outbox.mails[number - 1];
  if (!found) throw missing("e-mail", String(number));
  return found;
}

const isWaiting = (authorisation: Parameters<typeof scaStatusOf>[0]) =>
  !["finalised", "failed"].includes(scaStatusOf(authorisation));

const paymentView = ({ paymentId, status }: TradePayment) => ({ payment_id: paymentId, status });

/** Does what the world may not allow, and refuses it in the world's words then. */
function attempt<T>(act: () => T, refusal: (says: string) => Refusal): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof RangeError ? refusal(error.message) : error;
  }
}

/** Does something with a payment; what its state does not allow is a conflict. */
function withPayment(
  { world }: Stage,
  id: string,
  act: (world: World, trade: Trade, payment: TradePayment) => void,
) {
  for (const trade of world.trades.values()) {
    const payment = trade.payments.find(({ paymentId }) => paymentId === id);
    if (!payment) continue;
    attempt(
      () => act(world, trade, payment),
      (says) => conflict("payment_state", says),
    );
    return paymentView(payment);
  }
  throw missing("payment", id);
}

/** A contact who acts for the client of the trade. */
function contactFor({ contacts }: World, trade: Trade, contactId: string): string {
  const contact = contacts.get(contactId);
  if (contact?.clientId !== trade.clientId) throw missing("contact", contactId);
  if (!mayActFor(contact, trade)) throw conflict("contact_conflict", `${contactId} may do nothing.`);
  return contactId;
}

export const actions: Actions = {
  reset: (stage, { seed, now }) => {
    if (now !== undefined) assertTime(new Date(now));
    stage.reset({ ...(seed !== undefined && { seed }), ...(now !== undefined && { now: new Date(now) }) });
    return clockOf(stage);
  },

  getClock: clockOf,

  setClock: (stage, { now }) => {
    const ahead = Date.parse(now) - stage.world.now.getTime();
    if (ahead < 0) throw conflict("clock_past", "The clock only moves forward. Begin again to go back.");
    const latest = stage.world.after(longestDays * dayMs);
    if (new Date(now) > latest)
      throw unfit(`now must be at most ${latest.toISOString()}, ${longestDays} days ahead`);
    return advance(stage, ahead);
  },

  advanceClock: (stage, { seconds, days }) =>
    advance(stage, seconds === undefined ? days! * dayMs : seconds * 1_000),

  listRates: ({ world }) =>
    tradedCurrencies
      .filter((currency) => currency !== "USD")
      .map((currency) => pairOf(currency, "USD"))
      .map(({ base, quoted }) => priceOf(world, base, quoted)),

  moveRate: ({ world }, { symbol, rate }) => {
    const [base, quoted] = currenciesOf(symbol);
    try {
      world.rates.move(base, quoted, new Big(rate), dayOf(world.now));
    } catch (error) {
      throw conflict("rate_too_far", (error as Error).message);
    }
    revalueAll(world);
    return priceOf(world, base, quoted);
  },

  payIn: ({ world }, { account_id, currency, amount, reference, debtor_name: name }) => {
    const account = accountFor(world, account_id, currency);
    const paid = new Big(amount);
    if (paid.lte(0)) throw unfit("amount must be more than zero");
    if (!fits(paid, account.currency)) throw unfit(`amount has too many decimals for ${account.currency}`);
    if (paid.gt(largest(account.currency))) throw unfit(`amount must be at most ${mostOf(account.currency)}`);
    if (available(world, account).plus(paid).gt(mostHeld(account.currency)))
      throw conflict("account_full", `An account holds at most ${mostHeld(account.currency).toFixed()}.`);
    const information = `Payment of ${reference}`;
    const { lineId } = receive(world, account, paid, { reference, information, counterparty: { name } });
    return { account_id: account.accountId, transaction_id: lineId };
  },

  listBeneficiaries: ({ world }) =>
    world.beneficiaries.map(({ beneficiaryId, name, currency }) => ({
      beneficiary_id: beneficiaryId,
      name,
      currency,
    })),

  allocatePayment: ({ world }, values) => {
    const { trade_id: tradeId, beneficiary_id: beneficiaryId, payment_date: date } = values;
    const trade = world.trades.get(tradeId);
    if (!trade) throw missing("trade", tradeId);
    const beneficiary = world.beneficiaries.find((each) => each.beneficiaryId === beneficiaryId);
    if (!beneficiary) throw missing("beneficiary", beneficiaryId);
    const contactId = contactFor(world, trade, values.contact_id);
    const order = { beneficiary, amount: new Big(values.amount), date, contactId };
    return paymentView(attempt(() => orderPayment(world, trade, order), unfit));
  },

  decidePayment: (stage, { payment_id: id, decision, contact_id: contact }) =>
    withPayment(stage, id, (world, trade, payment) => {
      const contactId = contactFor(world, trade, contact);
      decidePayment(world, trade, payment, { contactId, approve: decision === "approve" });
    }),

  completeBeneficiary: (stage, { payment_id: id, iban, account_number: accountNumber }) =>
    withPayment(stage, id, (world, trade, payment) =>
      completeBeneficiary(world, trade, payment, {
        ...(iban !== undefined && { iban }),
        ...(accountNumber !== undefined && { accountNumber }),
      }),
    ),

  returnPayment: (stage, { payment_id: id }) => withPayment(stage, id, returnPayment),

  decideAccountDetails: ({ world }, { account_details_id: id, decision }) => {
    const details = world.accountDetails.get(id.toLowerCase());
    if (!details) throw missing("account details", id);
    if (details.status !== "pending")
      throw conflict("account_details_decided", `The account details are ${details.status}.`);
    decide(world, details, decision === "confirm" ? "confirmed" : "failed");
    return { account_details_id: details.accountDetailsId, status: details.status };
  },

  decideStatement: ({ world }, { statement_id, decision, seconds = 0 }) => {
    const fate = { failed: decision === "fail", delayMs: seconds * 1_000 };
    if (statement_id === undefined) {
      world.nextStatement = fate;
      return;
    }
    const statement = world.statements.get(statement_id.toLowerCase());
    if (!statement) throw missing("statement", statement_id);
    befall(world, statement, fate);
  },

  listAuthorisations: ({ world }) =>
    [...world.openBanking.authorisations.values()]
      .filter(isWaiting)
      .map(({ authorisationId, decision: { title, terms } }) => ({
        authorisation_id: authorisationId,
        title,
        terms: terms.map(([name, value]) => ({ name, value })),
      })),

  decideAuthorisation: ({ world }, { authorisation_id: id, decision }) => {
    const authorisation = world.openBanking.authorisations.get(id);
    if (!authorisation) throw missing("authorisation", id);
    if (!isWaiting(authorisation))
      throw conflict("authorisation_decided", "The authorisation is decided or has lapsed.");
    conclude(authorisation, decision === "approve");
  },

  setSignatories: ({ world }, { signatories }) => {
    world.openBanking.signatories = signatories;
  },

  decideApprovals: ({ world }, { decision }) => {
    const approvals = world.approvals.get(demo.clientId);
    if (!approvals?.pending) throw conflict("nothing_pending", "No approvals configuration waits.");
    if (decision === "approve") putInForce(approvals, approvals.pending.config);
    else delete approvals.pending;
  },

  listMails: ({ world }) => world.outbox.mails.map(mailView),

  getMail: (stage, { mail }) => mailView(mailAt(stage, mail), mail - 1),

  getMessage: (stage, { mail }) => fileOf(mailAt(stage, mail)),

  getAttachment: (stage, { mail, file_name: name }) => {
    const attachment = mailAt(stage, mail).attachments.find(({ fileName }) => fileName === name);
    if (!attachment) throw missing("attachment", name);
    return attachment;
  },

  listRequests: ({ requests }) => [...requests],

  listFaults: ({ faults }) =>
    faults.waiting.map(({ operation, fault: { retryAfter, ...fault } }) => ({
      operation,
      ...fault,
      ...(retryAfter !== undefined && { retry_after: retryAfter }),
    })),

  addFault: ({ faults }, { operation, times, retry_after: retryAfter, ...fault }) => {
    try {
      faults.add(operation, { ...fault, retryAfter }, times);
    } catch (error) {
      throw unfit((error as Error).message);
    }
  },

  clearFaults: ({ faults }) => faults.clear(),
};
