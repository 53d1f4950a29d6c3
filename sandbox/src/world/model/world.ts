/** A simulated world: the complete state of the sandbox, derived from one seed. */
import type { Big } from "big.js";
import type { AccountDetails, Account } from "./account";
import { type Tokens, type TokensState, type Grant, createSignInTokens } from "../tokens/tokens";
import { createOpenBanking, type OpenBanking, type OpenBankingState } from "./open-banking";
import type { Outbox } from "./outbox";
import { ScheduledEvents, type ScheduledEventsState, type ScheduledEvent } from "./scheduled-events";
import type { Approvals } from "../parties/approvals";
import type { Clock } from "../common/clock";
import { randomDrift, Rates } from "../money/fx";
import { Ledger, type LedgerState } from "../ledger/ledger";
import type { Client, Contact, Parties } from "../parties/parties";
import type { Quote, Beneficiary, Trade } from "./trade";
import { Random } from "../common/random";
import type { StatementOutcome, Statement } from "./statement";
import { type Settings, defaultSettings } from "./settings";

/** Collections of a world. */
interface WorldCollections {
  readonly accounts: Map<string, Account>;
  readonly accountDetails: Map<string, AccountDetails>;
  readonly beneficiaries: Beneficiary[];
  readonly quotes: Map<string, Quote>;
  readonly trades: Map<string, Trade>;
  readonly statements: Map<string, Statement>;
  /** Outcome of the next statement to be requested. */
  nextStatement?: StatementOutcome | undefined;
  /** By client ID. */
  readonly approvals: Map<string, Approvals>;
}

/** State of a world except its seed, settings and clock: plain data, see state-serialization.ts. */
export interface WorldState extends WorldCollections {
  readonly parties: Parties;
  readonly rates: Map<string, Big>;
  readonly tokens: TokensState<Grant>;
  readonly openBanking: OpenBankingState;
  readonly agenda: ScheduledEventsState;
  /** State of the random generator of identifiers. */
  readonly ids: number;
  readonly ledger: LedgerState;
}

export interface WorldOptions {
  readonly clock: Clock;
  readonly seed: string;
  readonly outbox: Outbox;
  readonly settings?: Settings;
  readonly parties: Parties;
  /** State to resume from. The world takes ownership of it. */
  readonly state?: WorldState | undefined;
}

export class World implements WorldCollections {
  readonly clock: Clock;
  readonly outbox: Outbox;
  readonly settings: Settings;
  readonly #handleEvent: (world: World, event: ScheduledEvent) => void;
  readonly parties: Parties;
  /** Clients of the open-banking interfaces and of calls that name no client. */
  readonly ownClientIds: readonly string[];
  readonly tokens: Tokens<Grant>;
  readonly clients: ReadonlyMap<string, Client>;
  readonly contacts: ReadonlyMap<string, Contact>;
  /** Owner of the world. Controls and pages that name no client use this contact's first client. */
  readonly home: { readonly clientId: string; readonly contactId: string; readonly email: string };
  readonly accounts: WorldCollections["accounts"];
  readonly accountDetails: WorldCollections["accountDetails"];
  readonly beneficiaries: WorldCollections["beneficiaries"];
  readonly rates: Rates;
  readonly quotes: WorldCollections["quotes"];
  readonly trades: WorldCollections["trades"];
  readonly statements: WorldCollections["statements"];
  nextStatement?: WorldCollections["nextStatement"];
  readonly approvals: WorldCollections["approvals"];
  readonly openBanking: OpenBanking;
  readonly scheduledEvents: ScheduledEvents;
  readonly random: Random;
  /** Random generator of identifiers. */
  readonly ids: Random;
  readonly ledger: Ledger;

  constructor(options: WorldOptions, handleEvent: (world: World, event: ScheduledEvent) => void) {
    const { clock, seed, outbox, settings = defaultSettings, parties, state } = options;
    const { clients, contacts, home } = parties;
    const { contactId, clientIds, email } = home;
    this.#handleEvent = handleEvent;
    this.clock = clock;
    this.outbox = outbox;
    this.settings = settings;
    this.parties = parties;
    this.home = { clientId: clientIds[0]!, contactId, email };
    this.ownClientIds = clientIds;
    this.clients = new Map(clients.map((client) => [client.clientId, client]));
    this.contacts = new Map(contacts.map((contact) => [contact.contactId, contact]));
    this.accounts = state?.accounts ?? new Map();
    this.accountDetails = state?.accountDetails ?? new Map();
    this.beneficiaries = state?.beneficiaries ?? [];
    this.quotes = state?.quotes ?? new Map();
    this.trades = state?.trades ?? new Map();
    this.statements = state?.statements ?? new Map();
    this.nextStatement = state?.nextStatement;
    this.approvals = state?.approvals ?? new Map();
    this.scheduledEvents = new ScheduledEvents(state?.agenda);
    this.rates = new Rates(state?.rates, settings.living ? randomDrift(seed) : undefined);
    this.random = new Random(seed);
    this.ids = this.random.fork("ids", state?.ids);
    this.ledger = new Ledger(this.random.fork("ledger").uuid().slice(8), state?.ledger);
    const grant = { contactId, clientIds };
    this.tokens = createSignInTokens(this.random.fork("tokens", state?.tokens.random), grant, state?.tokens);
    const openBankingRandom = this.random.fork("open-banking", state?.openBanking.tokens.random);
    this.openBanking = createOpenBanking(openBankingRandom, state?.openBanking);
  }

  /** Current state, partly live: copy or serialise it to preserve it. */
  get state(): WorldState {
    const { accounts, accountDetails, beneficiaries, quotes, trades, statements, approvals } = this;
    const { parties, nextStatement, scheduledEvents, rates, tokens, openBanking, ids, ledger } = this;
    return {
      parties,
      accounts,
      accountDetails,
      beneficiaries,
      quotes,
      trades,
      statements,
      nextStatement,
      approvals,
      agenda: scheduledEvents.state,
      rates: rates.state,
      tokens: tokens.state,
      openBanking: { ...openBanking, tokens: openBanking.tokens.state },
      ids: ids.state,
      ledger: ledger.state,
    };
  }

  /** Time of the event or request being handled. */
  get now(): Date {
    return this.scheduledEvents.time;
  }

  /** Returns the time this many milliseconds after `now`. */
  timeAfter(milliseconds: number): Date {
    return new Date(this.now.getTime() + milliseconds);
  }

  /** Runs all events due by a time. */
  runEventsUntil(time: Date): void {
    this.scheduledEvents.runUntil(time, (event) => this.#handleEvent(this, event));
  }

  /** Runs all events due by the clock. */
  runDueEvents(): void {
    this.runEventsUntil(this.clock.now());
  }

  accountsOf({ clientId }: Client): Account[] {
    return [...this.accounts.values()].filter((account) => account.clientId === clientId);
  }
}
