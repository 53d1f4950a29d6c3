/** How results tell of files that were delivered. */
import { z } from "zod";

/** A file and its place: one of `path`, `uri` and `content`. */
export const deliveredFileFields = {
  name: z.string().meta({ description: "Name of the file." }),
  content_type: z.string().meta({ description: "Its media type." }),
  path: z.string().optional().meta({ description: "Path of the file, if it was written to a folder." }),
  uri: z.string().optional().meta({ description: "URI of the file, if it is kept as a resource." }),
  content: (z.unknown() as unknown as z.ZodType<Buffer>)
    .optional()
    .meta({ description: "Content of the file, if it was not stored elsewhere." }),
};
