/** A service that books each request and loses its response; its list shows the trades. */
import { createServer } from "node:http";
import { listen } from "../../support/resources";

export interface Book {
  readonly url: string;
  /** References of the bookings, in order. */
  readonly references: string[];
  /** Handles a booking. Default: books it and cuts the connection. Returns an error status to respond with, if any. */
  book: (reference: string) => number | void;
  /** Runs before each page of the list. Returns an error status to respond with, if any. */
  beforeList: () => Promise<number | void>;
}

export async function startBook(): Promise<Book> {
  const references: string[] = [];
  const book: Book = {
    url: "",
    references,
    book: (reference) => void references.push(reference),
    beforeList: async () => undefined,
  };
  const day = new Date().toISOString().slice(0, 10);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    const respond = async () => {
      if (request.method === "POST") {
        const { reference } = JSON.parse(Buffer.concat(chunks).toString()) as { reference: string };
        const refusal = book.book(reference);
        return refusal ? response.writeHead(refusal).end() : request.socket.destroy();
      }
      const status = await book.beforeList();
      if (status) return response.writeHead(status).end();
      const isFirstPage = new URL(request.url!, "http://localhost").searchParams.get("page") === "1";
      const trades = references.map((reference, index) => ({
        trade_id: `T-${index}`,
        reference,
        order_date: day,
      }));
      response.setHeader("content-type", "application/json").end(JSON.stringify(isFirstPage ? trades : []));
    };
    request.on("end", () => void respond());
  });
  return Object.assign(book, { url: `http://127.0.0.1:${await listen(server)}` });
}
