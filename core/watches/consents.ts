/** consents.watch: status changes of consents, and consents that expire soon. */
import { addDays } from "../calendars/days";
import { z } from "zod";
import { textField } from "../values/response-fields";
import { publish } from "../call/diagnostics-channels";
import { json } from "../spec/declare";
import { readEach, watch } from "./watch";

const WatchedConsent = z
  .object({
    consent_id: textField("The consent."),
    status: textField("Consent status, such as valid, expired or revokedByPsu."),
    valid_until: textField("Last day of validity (YYYY-MM-DD)."),
    ends_soon: z
      .boolean()
      .meta({ description: "True if the consent is valid and expires within the requested number of days." }),
  })
  .meta({ id: "WatchedConsent", description: "A consent, with its expiry." });

const finalStatuses = new Set(["rejected", "revokedByPsu", "expired", "terminatedByTpp"]);

export const watchConsents = watch({
  name: "consents.watch",
  tool: "watch_consents",
  title: "Watch consents",
  summary: "Reports status changes of consents, and consents that expire soon.",
  keywords: ["alert", "reminder", "renew", "permission", "Einwilligung", "Ablauf"],
  uses: ["consents.get"],
  input: {
    consents: z
      .array(z.string().min(1))
      .min(1)
      .meta({ title: "Consents", description: "Consent IDs (`consentId`) from consents.create." }),
    within_days: z.int().min(0).max(366).default(14).meta({
      title: "Within days",
      description: "Number of days before expiry at which a consent is reported.",
    }),
  },
  output: json(WatchedConsent, "A consent."),
  defaultStart: "beginning",
  everyMs: 3_600_000,
  async read(context, { consents, within_days: days }, { knownStates, today }) {
    const last = addDays(today, days);
    const open = consents.filter((id) => !finalStatuses.has(String(knownStates.get(id)?.["status"])));
    return readEach(
      context,
      open,
      (id) => `Consent ${id}`,
      async (id) => {
        const { consentStatus: status, validUntil: until } = await context.client.consents.get({
          "consent-id": id,
        });
        publish.consent({ consent: id, ...(status === "valid" && { validUntil: until }) });
        const endsSoon = status === "valid" && until <= last;
        return [{ consent_id: id, status, valid_until: until, ends_soon: endsSoon }];
      },
    );
  },
  identify: ({ consent_id: id }) => id,
  time: ({ valid_until: day }) => day,
  state: ({ status, ends_soon }) => ({ status, ends_soon }),
  reportsNew: ({ status, ends_soon: soon }) => soon === true || finalStatuses.has(String(status)),
});
