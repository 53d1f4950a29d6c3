/** Cards (MCP Apps): pages in which a host shows the results of some tools. They load nothing and release nothing. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Callable } from "../core/spec/operation";
import type { ToolMeta } from "./protocol";
import type { JsonObject } from "./render/content";
import { describeTarget, type Target } from "./target";

export const cardExtension = "io.modelcontextprotocol/ui";
export const cardMimeType = "text/html;profile=mcp-app";

const uriRoot = "ui://fxdesk/";
const cards: readonly NonNullable<Callable["card"]>[] = ["position", "order"];

/** resources is one folder above the sources and two above the build output. */
const folder = ["..", "../.."].map((up) => join(__dirname, up, "resources/cards")).find(existsSync)!;

/** Returns what a host needs to know about cards. No card may call a tool that does more than read. */
export function cardMetaOf({ card, effect }: Pick<Callable, "card" | "effect">): ToolMeta | undefined {
  if (card === undefined && effect === "read") return undefined;
  return {
    ui: {
      ...(card && { resourceUri: uriRoot + card }),
      ...(effect !== "read" && { visibility: ["model"] }),
    },
  };
}

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Returns a page that runs only its own script, whatever policy the host sets. */
function cardPage(card: string, target: Target): string {
  const [style, script] = ["card.css", "card.js"].map((name) => readFileSync(join(folder, name), "utf8"));
  const policy = `default-src 'none'; script-src ${hashOf(script!)}; style-src ${hashOf(style!)}; base-uri 'none'; form-action 'none'`;
  const encoded = [describeTarget(target), target.environment].map(encodeURIComponent);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy}">
<title>fxdesk</title>
<style>${style}</style>
</head>
<body data-card="${card}" data-target="${encoded[0]}" data-environment="${encoded[1]}">
<main></main>
<script type="module">${script}</script>
</body>
</html>
`;
}

/** Returns the resource of a card; undefined for any other URI. */
export function readCard(uri: string, target: Target): JsonObject | undefined {
  const card = cards.find((name) => uri === uriRoot + name);
  if (card === undefined) return undefined;
  const _meta = { ui: { prefersBorder: true } };
  return { contents: [{ uri, mimeType: cardMimeType, text: cardPage(card, target), _meta }] };
}
