/**
 * Controls: changes that a person or a test can make to the sandbox, but a client of the service cannot. They are
 * declared like the contract's operations; routes, commands, the dashboard's forms and `sandbox.control` derive from
 * this list.
 */
import type { Declaration } from "@fxdesk/toolkit/operations";
import * as decisions from "./decisions";
import * as money from "./money";
import * as requests from "./requests";
import * as simulation from "./simulation";

/** In display order. */
export const controls = [
  simulation.reset,
  simulation.getClock,
  simulation.setClock,
  simulation.advanceClock,
  money.listRates,
  money.moveRate,
  money.payIn,
  money.listBeneficiaries,
  money.allocatePayment,
  money.decidePayment,
  money.completeBeneficiary,
  money.returnPayment,
  decisions.decideAccountDetails,
  decisions.addStatementFault,
  decisions.listAuthorisations,
  decisions.decideAuthorisation,
  decisions.setSignatories,
  decisions.decideApprovals,
  requests.listMails,
  requests.getMail,
  requests.getMessage,
  requests.getAttachment,
  requests.listRequests,
  requests.getExchange,
  requests.listFaults,
  requests.addFault,
  requests.clearFaults,
  simulation.save,
  simulation.load,
  simulation.fork,
  simulation.undo,
] as const satisfies readonly Declaration[];
