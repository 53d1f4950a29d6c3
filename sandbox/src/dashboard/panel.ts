/** Building blocks of the panels. */
import type { SandboxSession } from "../session/sandbox-session";
import type { Account } from "../world/model/account";
import type { Trade } from "../world/model/trade";
import { type Html, html } from "../pages/page";
import { canActFor } from "../world/parties/parties";
import type { World } from "../world/model/world";
import type { Choice } from "./form";

/** Section of the page with a heading. The script refreshes it. */
export interface Panel {
  readonly id: string;
  readonly title: string;
  readonly area: "top" | "main" | "side";
  readonly show?: (session: SandboxSession) => Html;
  /** Forms. The script does not replace a form that is being edited. */
  readonly forms?: (session: SandboxSession) => Html;
}

export const emptyState = (noun: string): Html => html`<p class="none">No ${noun}.</p>`;

/** Table that scrolls sideways if it is wider than the screen, also by keyboard. Columns are CSS classes by title. */
export const table = (columns: Readonly<Record<string, string>>, rows: readonly Html[]): Html =>
  html`<div class="scroll" tabindex="0">
    <table>
      <thead>
        <tr>
          ${Object.entries(columns).map(
            ([title, cssClass]) => html`<th scope="col" class="${cssClass}">${title}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;

/** Interleaves lists, so that none hides another. */
export function interleave<T>(...lists: readonly (readonly T[])[]): T[] {
  const rounds = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: rounds }, (_, round) =>
    lists.flatMap((each) => each.slice(round, round + 1)),
  ).flat();
}

/** Shows the first items, and the others in a collapsed section. */
export function foldedList<T>(
  noun: string,
  all: readonly T[],
  maxShown: number,
  render: (some: readonly T[]) => Html,
): Html {
  if (all.length === 0) return emptyState(noun);
  const others = all.slice(maxShown);
  if (others.length === 0) return render(all);
  return html`${render(all.slice(0, maxShown))}
    <details id="other-${noun}">
      <summary>${others.length} more ${noun}</summary>
      ${render(others)}
    </details>`;
}

export const statusChip = (text: string, cssClass: string): Html =>
  html`<span class="chip ${cssClass}">${text}</span>`;

export const smallText = (text: string | undefined): Html | undefined =>
  text === undefined ? undefined : html`<small>${text}</small>`;

/** Returns the demo company's accounts. */
export const homeAccounts = ({ accounts, home }: World): Account[] =>
  [...accounts.values()].filter(({ clientId }) => clientId === home.clientId);

/** Returns the demo company's trades in booking order. */
export const homeTrades = ({ trades, home }: World): Trade[] =>
  [...trades.values()].filter(({ clientId }) => clientId === home.clientId);

/** Returns the eligible contacts of the company as choices. */
export const contactChoices = (
  { contacts, home }: World,
  isEligible: (contactId: string) => boolean = () => true,
): Choice[] =>
  [...contacts.values()]
    .filter((contact) => canActFor(contact, home) && isEligible(contact.contactId))
    .map(({ contactId, name }) => [contactId, name]);
