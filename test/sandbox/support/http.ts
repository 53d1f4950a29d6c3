/** Requests as they stand, without a client between. */
import type { Sandbox } from "@fxdesk/sandbox";
import { demo } from "@fxdesk/sandbox";

export interface PlainAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The demo company's credentials as headers. */
export const demoHeaders = {
  authorization: `Bearer ${demo.accessToken}`,
  "x-api-key": demo.apiKey,
} as const;

/** Asks the sandbox for a path. Follows no redirect. */
export async function ask(
  { baseUrl }: Pick<Sandbox, "baseUrl">,
  path: string,
  init: RequestInit = {},
): Promise<PlainAnswer> {
  const response = await fetch(baseUrl + path, { redirect: "manual", ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
