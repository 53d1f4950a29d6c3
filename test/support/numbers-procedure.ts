/** A procedure that reports progress, waits, and returns a list with other values. */
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import type { Client } from "../../core";
import { contract, defineService, json, operations, procedureFor } from "../../core/operations";

const Numbers = z.object({
  count: z.int().meta({ description: "How many." }),
  span: z.object({ from: z.int(), to: z.int() }).meta({ description: "First and last." }),
  complete: z.boolean().meta({ description: "Whether all are there." }),
  sums: z.array(z.object({ parity: z.string(), sum: z.string() })).meta({ description: "Sums." }),
  gaps: z.array(z.object({ reason: z.string() })).meta({ description: "What is missing." }),
  numbers: z
    .array(z.object({ id: z.string(), note: z.string().optional(), value: z.int() }))
    .meta({ description: "The numbers." }),
});

/** Number of runs in this process. */
export const runs = { count: 0 };

export const listNumbers = procedureFor<Client<typeof operations>>()({
  name: "numbers.list",
  tool: "list_numbers",
  title: "List numbers",
  summary: "Lists numbers one after the other.",
  effect: "read",
  resultList: "numbers",
  uses: ["accounts.list"],
  input: {
    many: z.int().meta({ description: "How many." }),
    pause_ms: z.int().default(0).meta({ description: "How long each step takes." }),
    steps: z.int().default(2).meta({ description: "How many steps it takes." }),
  },
  output: json(Numbers, "The numbers."),
  async run({ progress, signal }, { many, pause_ms, steps }) {
    runs.count += 1;
    for (let done = 0; done < steps; done += 1) {
      progress({ done, total: steps, message: "Counting" });
      await pause(pause_ms, undefined, { signal });
    }
    const note = (value: number) => (value % 2 === 0 ? { note: 'even, "two\nlines"' } : {});
    return {
      count: many,
      span: { from: 0, to: many - 1 },
      complete: true,
      sums: [{ parity: "odd", sum: "25" }],
      gaps: [],
      numbers: Array.from({ length: many }, (_, value) => ({ id: `N${value}`, value, ...note(value) })),
    };
  },
});

/** The contract with this procedure. */
export const numbersService = defineService({ ...contract, procedures: [listNumbers] });
