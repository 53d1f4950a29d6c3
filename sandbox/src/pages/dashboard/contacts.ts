/** Who can act for the company. */
import { canActFor } from "../../world/parties/parties";
import type { World } from "../../world/world";
import type { Choice } from "./form";

/** The contacts who may act for the company, or those among them who are asked. */
export const contactChoices = (
  { contacts, home }: World,
  isEligible: (contactId: string) => boolean = () => true,
): Choice[] =>
  [...contacts.values()]
    .filter((contact) => canActFor(contact, home) && isEligible(contact.contactId))
    .map(({ contactId, name }) => [contactId, name]);

/** Names of contacts, for a list of terms. */
export const contactNames = ({ contacts }: World, contactIds: readonly string[]): string =>
  contactIds.map((contactId) => contacts.get(contactId)?.name ?? contactId).join(", ");
