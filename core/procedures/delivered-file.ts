/** Delivered files in results. */
import { z } from "zod";

/** Fields of a delivered file. Exactly one of `path`, `uri` and `content` is set. */
export const deliveredFileFields = {
  name: z.string().meta({ description: "Name of the file." }),
  content_type: z.string().meta({ description: "Its media type." }),
  path: z.string().optional().meta({ description: "Path of the file, if it was written to a folder." }),
  uri: z.string().optional().meta({ description: "URI of the file, if it is stored as a resource." }),
  content: (z.unknown() as unknown as z.ZodType<Buffer>)
    .optional()
    .meta({ description: "Content of the file, if it was not stored elsewhere." }),
};
