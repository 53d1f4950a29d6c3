/** The documentation site: npm run site builds it from the pages of this repository. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path) => readFileSync(join(root, path), "utf8");

/** Returns the anchor of a heading, as GitHub does. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");

/** Writes a page that is not in the repository. */
function writePage(path, text) {
  const file = join(root, "site/pages", `${path}.md`);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
}

/** Writes a page for each section of the reference of operations, and returns their links. */
function operationPages() {
  const sections = read("dist/docs/operations.md").split(/^## /m).slice(1);
  const links = sections.map((section) => {
    const [title] = section.split("\n", 1);
    const path = `operations/${slugify(title)}`;
    const introduction = `Operations, procedures and watches of the section “${title}”, with fields, results and errors.`;
    const members = section.slice(title.length).replaceAll(/^### /gm, "## ");
    writePage(path, `# ${title}: operations\n\n${introduction}\n${members}`);
    return { text: title, link: `/${path}` };
  });
  const list = links.map(({ text, link }) => `- [${text}](${link})`).join("\n");
  writePage(
    "operations/README",
    `# Operations\n\nReference of all operations, procedures and watches by section.\n\n${list}\n`,
  );
  return links;
}

/** Returns links to the pages of a folder, in the order of its index. */
const folderPages = (name) =>
  [...read(`docs/${name}/README.md`).matchAll(/^\| \[(.*?)\]\(([\w-]+)\.md\)/gm)].map(([, text, file]) => ({
    text,
    link: `/${name}/${file}`,
  }));

const group = (text, ...items) => ({ text, items });
const closed = (text, link, items) => ({ text, link, items, collapsed: true });
const page = (text, name) => ({ text, link: `/${name}` });

rmSync(join(root, "site/pages"), { recursive: true, force: true });
writePage("license", `# License\n\n${read("LICENSE")}`);

const sidebar = [
  group("Start", page("fxdesk", ""), page("The first hour", "first-hour"), page("Concepts", "concepts")),
  group(
    "Guides",
    page("Node-RED", "nodes"),
    closed("AI assistants", "/mcp", [
      page("Claude", "hosts/claude"),
      page("VS Code", "hosts/vscode"),
      page("Cursor", "hosts/cursor"),
      page("Codex", "hosts/codex"),
    ]),
    page("Command line", "cli"),
    page("Code", "client"),
    page("Procedures", "procedures"),
    page("Watches", "watches"),
    page("Bank files", "bank-files"),
    page("Payment runs", "payment-runs"),
    page("Orders and releases", "releases"),
    page("People", "people"),
    page("Releases page", "releases-page"),
    page("Journal", "journal"),
    page("Receipts", "receipts"),
    page("Sandbox", "sandbox"),
    page("Rules of the sandbox", "sandbox-rules"),
  ),
  closed("Recipes", "/recipes/", folderPages("recipes")),
  group(
    "Reference",
    closed("Operations", "/operations/", operationPages()),
    page("Settings", "settings"),
    page("Errors", "errors"),
    page("Glossary", "glossary"),
    closed("Palette", "/palette/", folderPages("palette")),
  ),
  group(
    "Operate",
    page("Deployment", "deployment"),
    page("Company networks", "network"),
    page("Log in", "login"),
    page("Security", "security"),
    page("Store", "store"),
    page("Backup and upgrades", "upgrade"),
    page("Scaling", "scaling"),
    page("Monitoring", "monitoring"),
    page("Reliability", "reliability"),
    page("Troubleshooting", "troubleshooting"),
  ),
  group(
    "Project",
    page("Compatibility", "compatibility"),
    page("Changelog", "changelog"),
    page("Contributing", "contributing"),
    page("Security policy", "security-policy"),
    page("Dependencies", "dependencies"),
  ),
];

/** Returns the first sentence of a page. */
function firstSentence(text) {
  const paragraph = /^# .*\n+((?:[^\n#|`!<].*\n)+)/m.exec(text)?.[1] ?? "";
  const plain = paragraph.replaceAll(/\s+/g, " ").replaceAll(/\[(.*?)\]\(.*?\)|[*`]/g, "$1");
  return /^.*?\.(?= |$)/.exec(plain)?.[0] ?? "";
}

/** Returns the path of a page on the site. */
const pathOnSite = (source) =>
  source
    .replace(/^(docs|site\/pages)\//, "")
    .replace(/(^|\/)README\.md$/, "$1index.md")
    .replace(/^SECURITY/, "security-policy")
    .toLowerCase();

/** Returns the address of a file that a page links; undefined if the site does not have it. */
function addressOf(target) {
  if (target === "LICENSE") return "/license";
  if (!/^(docs\/.*|[^/]*)\.md$/.test(target)) return undefined;
  return `/${pathOnSite(target)}`.replace(/(index)?\.md$/, "");
}

/** Leads relative links, which are correct in the repository, to the pages of the site. Other files have no link. */
function resolveLinks(md) {
  md.core.ruler.push("site-links", ({ tokens, env }) => {
    const folder = posix.dirname(relative(root, env.realPath ?? env.path));
    for (const { children } of tokens)
      for (const [index, token] of children?.entries() ?? []) {
        const href = token.type === "link_open" ? token.attrGet("href") : "#";
        if (/^(\w+:|#|\/)/.test(href)) continue;
        const [path, hash] = href.split("#");
        const address = addressOf(posix.join(folder, path));
        if (address) token.attrSet("href", [address, hash].filter(Boolean).join("#"));
        else {
          const end = children.slice(index).find(({ type }) => type === "link_close");
          [token.tag, token.attrs, end.tag] = ["span", null, "span"];
        }
      }
  });
}

const searchOptions = {
  /** Ignores words that say nothing about the subject of a question. */
  processTerm: (term) =>
    /^(an?|and|are|at|be|by|can|do|does|for|from|how|in?|is|it|my|of|on|or|the|to|was|what|when|where|which|who|why|with)$/i.test(
      term,
    )
      ? null
      : term.toLowerCase(),
  /** Explanations come before long references that mention everything. */
  boostDocument: (id) => (id.startsWith("/changelog") ? 0.2 : /^\/(operations|security)/.test(id) ? 0.5 : 1),
};

export default defineConfig({
  title: "fxdesk",
  description: "Accounts, trades and payments in Node-RED, AI assistants, the command line and TypeScript.",
  lang: "en",
  srcDir: "..",
  srcExclude: ["!(docs|site)/**/*.md"],
  outDir: "../site/dist",
  cacheDir: "../node_modules/.cache/vitepress",
  rewrites: pathOnSite,
  ignoreDeadLinks: "localhostLinks",
  markdown: {
    anchor: { slugify },
    config: resolveLinks,
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
  },
  head: [["style", {}, "html:root { --vp-code-lang-color: var(--vp-c-text-1) }"]],
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: "local", options: { miniSearch: { searchOptions } } },
  },
  transformPageData: ({ filePath }) => ({ description: firstSentence(read(filePath)) }),
  /** Writes the list of pages for language models. */
  buildEnd({ pages, outDir }) {
    const lines = pages.map((source) => {
      const text = read(source);
      const [, title] = /^# (.*)$/m.exec(text);
      return [`- [${title}](/${pathOnSite(source)})`.replace(/(index)?\.md\)$/, ")"), firstSentence(text)]
        .filter(Boolean)
        .join(": ");
    });
    writeFileSync(join(outDir, "llms.txt"), `# fxdesk\n\n${lines.join("\n")}\n`);
  },
});
