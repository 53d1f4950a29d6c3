/** Questions of the editor about a connection that stands in a form, deployed or not. */
import type { IncomingHttpHeaders } from "node:http";
import { settingsOf } from "../../core/client/settings";
import type { Service } from "../../core/declaration/service";
import { describeViolations } from "../../core/declaration/violation";
import { InvalidInput } from "../../core/errors";
import { isForeign } from "../foreign-requests";
import { type ConnectionForm, formFrom } from "./form";

/** What the editor is told: a status, and JSON. */
export interface Told {
  readonly status?: number;
  readonly body: object;
}

const told = (message: string, status = 400): Told => ({ status, body: { message } });

/** What is wrong with a setting names it as the form does. */
function asFormSays(service: Service, error: unknown): Told {
  const titles = new Map(settingsOf(service).map(({ name, title }) => [name, title]));
  const titleOf = (name: string) => titles.get(name) ?? name;
  if (!(error instanceof InvalidInput)) return told((error as Error).message.replace(/^\w+/, titleOf));
  const violations = error.violations.map(({ field, message }) => ({ field: titleOf(field), message }));
  return told(describeViolations(violations));
}

export interface Question {
  readonly headers: IncomingHttpHeaders;
  readonly body?: unknown;
}

/** Answers a question that holds the form of a connection. No page of another site may ask, and no form of one. */
export async function answered(
  service: Service,
  { headers, body }: Question,
  answer: (form: ConnectionForm, body: Readonly<Record<string, unknown>>) => Promise<Told>,
): Promise<Told> {
  if (isForeign(headers)) return told("Only the editor may ask.", 403);
  const isJson = /^application\/json\b/i.test(headers["content-type"] ?? "");
  const form = isJson ? formFrom(body) : undefined;
  if (!form) return told("A form of a connection is needed, as JSON.");
  try {
    return await answer(form, body as Record<string, unknown>);
  } catch (error) {
    return asFormSays(service, error);
  }
}
