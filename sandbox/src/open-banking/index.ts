/** Behaviours and pages of the open-banking interfaces. */
import type { AnyBehaviour } from "../calls/behaviour";
import type { RoutePlugin } from "../server/server";
import { openBanking } from "./account-information";
import { consents } from "./consent-operations";
import { oauth } from "./oauth";
import { payments } from "./payment-operations";
import { scaPage } from "./sca-page";

export { openBankingServer } from "../dialects/open-banking";

export const openBankingBehaviours: Readonly<Record<string, AnyBehaviour>> = {
  ...payments,
  ...consents,
  ...openBanking,
};

export const openBankingPages: readonly RoutePlugin[] = [scaPage, oauth];
