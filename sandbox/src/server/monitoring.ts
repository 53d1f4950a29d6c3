/** Health and metrics of the sandbox, at the paths of the other servers. */
import { metricsMediaType, MetricValues } from "@fxdesk/toolkit/operations";
import type { RoutePlugin } from "./server";

export const sandboxMetrics = {
  fxdesk_sandbox_requests_total: {
    type: "counter",
    help: "Requests to the simulated service, by HTTP status.",
    labels: ["status"],
  },
} as const;

/** Adds the routes. A custom service may have its own operations at these paths. */
export const monitoring: RoutePlugin = (app, session) => {
  const pages: Readonly<Record<string, () => readonly [type: string, body: string]>> = {
    "/health": () => ["application/json", '{"status":"alive"}\n'],
    "/ready": () => ["application/json", '{"status":"ready","checks":{}}\n'],
    "/metrics": () => {
      const values = new MetricValues(sandboxMetrics);
      for (const [status, number] of session.responses)
        values.add("fxdesk_sandbox_requests_total", number, { status: String(status) });
      return [metricsMediaType, values.render()];
    },
  };
  for (const [url, page] of Object.entries(pages)) {
    if (app.hasRoute({ method: "GET", url })) continue;
    app.get(url, (_request, reply) => {
      const [type, body] = page();
      return reply.header("content-type", type).header("cache-control", "no-store").send(body);
    });
  }
};
