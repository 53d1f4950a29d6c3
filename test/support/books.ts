/** Starts a sandbox whose ledger tests can read, to derive the expected responses. */
import type { AddressInfo } from "node:net";
import type { Big } from "big.js";
import { contract } from "../../core/contract/contract";
import type { ClientOptions, FxdeskClient } from "../../core";
import { assemble } from "../../sandbox/src/assemble";
import { type ControlPlane, controlPlane } from "../../sandbox/src/control/control-plane";
import type { Account } from "../../sandbox/src/world/model/account";
import { balanceAccount } from "../../sandbox/src/world/ledger/ledger";
import { demo } from "../../sandbox/src/world/parties/parties";
import { defaultSettings } from "../../sandbox/src/world/model/settings";
import type { World } from "../../sandbox/src/world/model/world";
import { closeLater } from "./resources";
import { openClient } from "./sandboxes";

/** A movement in the ledger. */
export interface Movement {
  readonly id: string;
  readonly account: string;
  readonly currency: string;
  readonly amount: Big;
  readonly valueDay: string;
  readonly type: string;
  readonly counterparty: string | undefined;
  readonly texts: readonly string[];
}

export interface Books {
  readonly client: FxdeskClient;
  readonly control: ControlPlane;
  readonly world: World;
  readonly accounts: readonly Account[];
  readonly movements: readonly Movement[];
  /** Another client of the same sandbox. */
  another(options: Partial<ClientOptions>): FxdeskClient;
}

interface BooksOptions {
  readonly seed?: string;
  readonly now: Date;
  /** Days of simulated business; few are faster. */
  readonly daysBehind?: number;
}

function movementsOf({ ledger }: World, account: Account): Movement[] {
  return ledger.lines(balanceAccount(account, "InterimAvailable")).map(({ lineId, entry, amount }) => ({
    id: lineId,
    account: account.accountId,
    currency: account.currency,
    amount,
    valueDay: entry.valueAt.toISOString().slice(0, 10),
    type: entry.type,
    counterparty: entry.counterparty?.name,
    texts: [entry.reference, entry.information, entry.additionalInformation, entry.counterparty?.name].filter(
      (text) => text !== undefined,
    ),
  }));
}

/** Starts a sandbox with a readable ledger, closed with its test. */
export async function openBooks({ seed = "books", now, daysBehind = 40 }: BooksOptions): Promise<Books> {
  const start = { seed, now, daysBehind, settings: defaultSettings };
  const { app, session } = assemble({ service: contract, start });
  closeLater(app);
  await app.listen({ port: 0, host: "127.0.0.1" });
  const baseUrl = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const another = (options: Partial<ClientOptions>) => openClient({ baseUrl, xs2aUrl: baseUrl }, options);
  const accounts = () =>
    [...session.world.accounts.values()].filter(({ clientId }) => clientId === demo.clientId);
  return {
    client: another({}),
    control: controlPlane(session),
    get world() {
      return session.world;
    },
    get accounts() {
      return accounts();
    },
    get movements() {
      return accounts().flatMap((account) => movementsOf(session.world, account));
    },
    another,
  };
}
