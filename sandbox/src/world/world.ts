/** One world: everything the sandbox knows, from one seed, at one time. */
import type { AccountDetails } from "./accounts/details";
import type { Account } from "./accounts/account";
import type { Tokens } from "./tokens/tokens";
import { OpenBanking } from "./open-banking/state";
import type { Outbox } from "./outbox";
import { Agenda, type Event } from "./agenda";
import type { Approvals } from "./parties/approvals";
import type { Clock } from "./calendar/clock";
import { Rates } from "./money/fx";
import { Ledger } from "./ledger/ledger";
import { type Client, type Contact, demoParties, type Parties } from "./parties/parties";
import type { Quote } from "./trades/quotes";
import { Random } from "./random";
import type { Fate, Statement } from "./statements/statement";
import { type Settings, usualSettings } from "./settings";
import { type Grant, signInTokens } from "./tokens/sign-in";
import type { Beneficiary, Trade } from "./trades/trades";

export class World {
  /** The clients behind the open-banking interfaces and calls that name no client. */
  readonly ownClientIds: readonly string[];
  readonly tokens: Tokens<Grant>;
  readonly clients: ReadonlyMap<string, Client>;
  readonly contacts: ReadonlyMap<string, Contact>;
  /** Whose world it is: what is shown and controlled without naming a client is of this contact's first one. */
  readonly home: { readonly clientId: string; readonly contactId: string; readonly email: string };
  readonly accounts = new Map<string, Account>();
  readonly accountDetails = new Map<string, AccountDetails>();
  readonly beneficiaries: Beneficiary[] = [];
  readonly rates = new Rates();
  readonly quotes = new Map<string, Quote>();
  readonly trades = new Map<string, Trade>();
  readonly statements = new Map<string, Statement>();
  /** What becomes of the next statement that is asked for. */
  nextStatement?: Fate;
  /** By client. */
  readonly approvals = new Map<string, Approvals>();
  readonly openBanking: OpenBanking;
  readonly agenda = new Agenda();
  readonly random: Random;
  /** Identifiers. */
  readonly ids: Random;
  readonly ledger: Ledger;

  constructor(
    private readonly happen: (world: World, event: Event) => void,
    readonly clock: Clock,
    seed: string,
    readonly outbox: Outbox,
    readonly settings: Settings = usualSettings,
    { clients, contacts, home }: Parties = demoParties,
  ) {
    const { contactId, clientIds, email } = home;
    this.home = { clientId: clientIds[0]!, contactId, email };
    this.ownClientIds = clientIds;
    this.clients = new Map(clients.map((client) => [client.clientId, client]));
    this.contacts = new Map(contacts.map((contact) => [contact.contactId, contact]));
    this.random = new Random(seed);
    this.ids = this.random.fork("ids");
    this.ledger = new Ledger(this.random.fork("ledger").uuid().slice(8));
    this.tokens = signInTokens(this.random.fork("tokens"), { contactId, clientIds });
    this.openBanking = new OpenBanking(this.random.fork("open-banking"));
  }

  /** The time of what happens now: of the event under way, or of the request. */
  get now(): Date {
    return this.agenda.time;
  }

  /** The time so many milliseconds from now. */
  after(milliseconds: number): Date {
    return new Date(this.now.getTime() + milliseconds);
  }

  /** Lets everything happen that is due by a time. */
  runUntil(time: Date): void {
    this.agenda.run(time, (event) => this.happen(this, event));
  }

  /** Lets everything happen that is due by the clock. */
  catchUp(): void {
    this.runUntil(this.clock.now());
  }

  accountsOf({ clientId }: Client): Account[] {
    return [...this.accounts.values()].filter((account) => account.clientId === clientId);
  }
}
