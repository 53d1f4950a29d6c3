/** Contacts who can act for the company. */
import { canActFor } from "../world/parties/parties";
import type { World } from "../world/model/world";
import type { Choice } from "./form";

/** Returns the eligible contacts of the company as choices. */
export const contactChoices = (
  { contacts, home }: World,
  isEligible: (contactId: string) => boolean = () => true,
): Choice[] =>
  [...contacts.values()]
    .filter((contact) => canActFor(contact, home) && isEligible(contact.contactId))
    .map(({ contactId, name }) => [contactId, name]);

/** Joins the names of contacts. */
export const contactNames = ({ contacts }: World, contactIds: readonly string[]): string =>
  contactIds.map((contactId) => contacts.get(contactId)?.name ?? contactId).join(", ");
