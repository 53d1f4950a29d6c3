/** consents.watch: consents that end soon, or have. */
import { z } from "zod";
import { json } from "../declaration/declare";
import { daysBefore } from "./days";
import { readEach } from "./read-each";
import { watch } from "./watch";

const WatchedConsent = z
  .object({
    consent_id: z.string().meta({ description: "The consent." }),
    status: z.string().meta({ description: "consentStatus, such as valid, expired or revokedByPsu." }),
    valid_until: z.string().meta({ description: "Its last day, YYYY-MM-DD." }),
    ends_soon: z
      .boolean()
      .meta({ description: "Whether it is valid, and not for longer than was asked for." }),
  })
  .meta({ id: "WatchedConsent", description: "A consent, and whether it ends soon." });

const ended = new Set(["rejected", "revokedByPsu", "expired", "terminatedByTpp"]);

export const watchConsents = watch({
  name: "consents.watch",
  tool: "watch_consents",
  title: "Watch consents",
  summary:
    "Warns (reminds) when a consent (permission, bank access) is about to expire (end, run out, lapse), to renew it, and tells each change of its status.",
  uses: ["consents.get"],
  input: {
    consents: z
      .array(z.string().min(1))
      .min(1)
      .meta({ title: "Consents", description: "Their consentId, as consents.create returned it." }),
    within_days: z.int().min(0).max(366).default(14).meta({
      title: "Within days",
      description: "How many days before its last day it is told.",
    }),
  },
  output: json(WatchedConsent, "A consent."),
  begins: "beginning",
  everyMs: 3_600_000,
  async read(context, { consents, within_days: days }, { known, today }) {
    const last = daysBefore(today, -days);
    const open = consents.filter((id) => !ended.has(String(known.get(id)?.["status"])));
    return readEach(
      context,
      open,
      (id) => `Consent ${id}`,
      async (id) => {
        const { consentStatus: status, validUntil: until } = await context.client.consents.get({
          "consent-id": id,
        });
        const endsSoon = status === "valid" && until <= last;
        return [{ consent_id: id, status, valid_until: until, ends_soon: endsSoon }];
      },
    );
  },
  identify: ({ consent_id: id }) => id,
  state: ({ status, ends_soon }) => ({ status, ends_soon }),
  tellsWhenNew: ({ status, ends_soon: soon }) => soon === true || ended.has(String(status)),
});
