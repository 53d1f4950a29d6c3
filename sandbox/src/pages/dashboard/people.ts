/** Who can act for the company. */
import { demo } from "../../world/parties";
import type { World } from "../../world/world";
import type { Choice } from "./form";

/** The company's contacts, but for some. */
export const contactChoices = ({ contacts }: World, but: readonly (string | undefined)[] = []): Choice[] =>
  [...contacts.values()]
    .filter(
      ({ clientId, contactId, active }) => clientId === demo.clientId && active && !but.includes(contactId),
    )
    .map(({ contactId, name }) => [contactId, name]);

/** Names of contacts, for a list of terms. */
export const namesOf = ({ contacts }: World, contactIds: readonly string[]): string =>
  contactIds.map((contactId) => contacts.get(contactId)?.name ?? contactId).join(", ");
