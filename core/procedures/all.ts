/** The procedures over the contract. */
import { getCashPosition } from "./cash-position";
import { checkServiceResponses } from "./check-service";
import { connectConsent } from "./connect-consent";
import { convertStatements } from "./convert-statements";
import { fetchStatements } from "./fetch-statements";
import { findOutcome } from "./find-outcome";
import { findTransactions } from "./find-transactions";
import { getExposure } from "./get-exposure";
import { followPayment } from "./follow-payment";
import { listForwards } from "./list-forwards";
import { openAccountDetails } from "./open-account-details";
import { followRun } from "./follow-payment-run";
import { initiateRun } from "./initiate-payment-run";
import { prepareRun } from "./prepare-payment-run";
import { cancelRelease, getRelease, listReleases } from "./releases";
import { reconcileTransactions } from "./reconcile-transactions";
import { summarizeTransactions } from "./summarize-transactions";

export const procedures = [
  getCashPosition,
  findTransactions,
  summarizeTransactions,
  listForwards,
  getExposure,
  reconcileTransactions,
  fetchStatements,
  convertStatements,
  connectConsent,
  followPayment,
  prepareRun,
  initiateRun,
  followRun,
  openAccountDetails,
  checkServiceResponses,
  getRelease,
  listReleases,
  cancelRelease,
  findOutcome,
] as const;
