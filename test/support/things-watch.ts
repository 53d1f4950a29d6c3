/** A service with a watch over things that tests control. */
import { z } from "zod";
import { contract, defineService, json, watchFor } from "../../core/operations";

/** Things by ID. */
export const things = new Map<string, string>();

export const watchThings = watchFor<never>()({
  name: "things.watch",
  tool: "watch_things",
  title: "Watch things",
  summary: "Tells things that come, go or turn.",
  uses: [],
  input: { colours: z.array(z.string()).optional().meta({ description: "Only things of these colours." }) },
  output: json(z.object({ id: z.string(), colour: z.string() }), "A thing."),
  defaultStart: "beginning",
  everyMs: 20,
  reportsGone: true,
  async read(_, { colours }) {
    const all = [...things].map(([id, colour]) => ({ id, colour }));
    return { entries: all.filter(({ colour }) => colours?.includes(colour) ?? true), gaps: [] };
  },
  identify: ({ id }) => id,
  state: ({ colour }) => ({ colour }),
});

export const thingsService = defineService({ ...contract, watches: [watchThings] });
