/** A service with one list, returned as every kind of the contract: complete, in numbered pages, in linked pages. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listen } from "../../support/resources";

export interface Listing {
  readonly rows: readonly object[];
  /** True if numbered pages have the total number of entries. */
  readonly counted?: boolean;
  /** Maximum page size, whatever the request. */
  readonly cap?: number;
}

export interface ListServer {
  readonly url: string;
  /** Content of the list; may be replaced. */
  listing: Listing;
  /** Targets of the requests, in order of arrival. */
  readonly requests: string[];
}

/** Entries per linked page. */
export const linkedPageSize = 500;

function linkedPage({ rows }: Listing, target: URL): object {
  const page = Number(target.searchParams.get("page") ?? 0);
  const shown = rows.slice(page * linkedPageSize, (page + 1) * linkedPageSize);
  const half = Math.ceil(shown.length / 2);
  target.searchParams.set("page", String(page + 1));
  const next = { href: target.pathname + target.search };
  const isLast = (page + 1) * linkedPageSize >= rows.length;
  return {
    account: { iban: "DE1" },
    transactions: {
      booked: shown.slice(0, half),
      pending: shown.slice(half),
      _links: isLast ? {} : { next },
    },
  };
}

function respond(
  { listing, requests }: ListServer,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const target = new URL(request.url!, "http://localhost");
  requests.push(request.url!);
  const { rows, counted = false, cap = Infinity } = listing;
  const numbers = ["page", "page_size"].map((name) => target.searchParams.get(name));
  const [page, size] = [Number(numbers[0] ?? 1), Math.min(Number(numbers[1] ?? 50), cap)];
  const isLinked = target.pathname.startsWith("/v1/");
  const shown = numbers[0] === null ? rows : rows.slice((page - 1) * size, page * size);
  response.writeHead(200, {
    "content-type": "application/json",
    ...(counted && { "x-total-count": String(rows.length) }),
  });
  response.end(JSON.stringify(isLinked ? linkedPage(listing, target) : shown));
}

export async function startListServer(): Promise<ListServer> {
  const server = createServer((request, response) => respond(listed, request, response));
  const listed: ListServer = {
    url: `http://127.0.0.1:${await listen(server)}`,
    listing: { rows: [] },
    requests: [],
  };
  return listed;
}
