/** Generates the pages of recipes and palette from the examples and the declarations. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Effect } from "../../core/spec/operation";
import { declarationsOf, type Service } from "../../core/spec/service";
import { callType, nodeTypeOf, watchType, withNodeTitles } from "../shared/node-names";
import { type CatalogueNode, catalogueOf } from "./catalogue";
import { nodeDefinitionsOf } from "./editor-file";
import { textsByLanguage } from "./locales";
import { otherNodes } from "./other-nodes";
import { paletteGroupsOf } from "./palette";

/** Node of a flow. A tab has texts. */
interface ExampleNode {
  readonly type: string;
  readonly label?: string;
  readonly info?: string;
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}

/** Example flow of the package. */
export interface Example {
  /** Path below examples, such as "1 Cash/01 Cash position.json". */
  readonly file: string;
  readonly flow: readonly ExampleNode[];
}

/** Node type of this package, as documented. */
interface DocumentedNode {
  readonly type: string;
  readonly title: string;
  readonly category: string;
  readonly summary: string;
  readonly effect?: Effect;
}

const effects: Readonly<Record<Effect, string>> = {
  read: "reads",
  change: "requests or changes something",
  money: "commits or moves money",
};

const readText = (file: string): string => readFileSync(join(__dirname, "../locales/en-US", file), "utf8");

/** Returns the nodes of operations, procedures and watches, in palette order. */
function declaredNodes(service: Service): DocumentedNode[] {
  const all = declarationsOf(service);
  const callables = new Map(all.map((each) => [nodeTypeOf(each), each]));
  const { help } = textsByLanguage(service)["en-US"]!;
  const general: Readonly<Record<string, string>> = {
    [callType]: help.call.summary,
    [watchType]: help.watch.summary,
  };
  return nodeDefinitionsOf(service).map(({ type, appearance, metadata: { title } }) => {
    const callable = callables.get(type);
    return {
      type,
      title,
      category: appearance.category,
      summary: callable ? withNodeTitles(callable.summary, all) : general[type]!,
      ...(callable && { effect: callable.effect }),
    };
  });
}

/** Returns the nodes of a set whose texts are written by hand. The summary is the first paragraph of the help. */
function otherDocumentedNodes(set: keyof typeof otherNodes): DocumentedNode[] {
  const { labels } = JSON.parse(readText(`${set}.json`)) as { labels: Record<string, string> };
  const help = readText(`${set}.html`);
  return otherNodes[set].flatMap(({ type, palette }) => {
    if (!palette) return [];
    const [, summary = ""] = new RegExp(`data-help-name="${type}">\\s*<p>\\s*(.*?)\\s*</p>`, "s").exec(help)!;
    const title = labels[type]!;
    return { type, title, category: palette.category, summary: summary.replaceAll(/\s+/g, " ") };
  });
}

const escapeCell = (text: string): string => text.replaceAll("|", "\\|");

const row = (...cells: readonly string[]): string => `| ${cells.map(escapeCell).join(" | ")} |`;

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(...head), row(...head.map(() => "---")), ...rows.map((cells) => row(...cells))].join("\n");

const generatedNotice =
  "<!-- Written by FXDESK_WRITE_DOCS=1 npx jest test/docs/pages from examples/ and the declarations. -->";

const page = (...parts: readonly (string | undefined)[]): string =>
  `${parts.filter((part) => part !== undefined).join("\n\n")}\n`;

interface Recipe extends Example {
  readonly title: string;
  readonly slug: string;
  /** Folder in the import menu. */
  readonly folder: string;
  /** One sentence without a full stop. */
  readonly description: string;
  readonly setup: string;
  readonly env: NonNullable<ExampleNode["env"]>;
}

/** Returns the file name of a page and its pictures. */
export const slugOf = (title: string): string => title.toLowerCase().replace(/[^a-z0-9]+/g, "-");

/** Reads the texts of an example from its tab. */
function toRecipe({ file, flow }: Example): Recipe {
  const { label: title = "", info = "", env = [] } = flow.find(({ type }) => type === "tab")!;
  const [description = "", setup = ""] = info.split("\n\n");
  const [folder = ""] = file.split("/");
  return { file, folder, flow, title, slug: slugOf(title), description, setup, env };
}

/** Returns the file name of the page of a palette group and of its picture. */
export const groupSlugOf = (category: string): string => slugOf(category.replace(/^fxdesk /, ""));

function recipePage(
  recipe: Recipe,
  nodes: ReadonlyMap<string, DocumentedNode>,
  hasPagePicture: boolean,
): string {
  const { title, slug, description, setup, env, file, flow } = recipe;
  const used = [...new Set(flow.map(({ type }) => type))].flatMap((type) => nodes.get(type) ?? []);
  return page(
    generatedNotice,
    `# ${title}`,
    `${description}.`,
    `![The flow](images/${slug}.webp)`,
    hasPagePicture ? `![Its page](images/${slug}-page.png)` : undefined,
    setup,
    env.length > 0
      ? table(
          ["Flow variable", "Default"],
          env.map(({ name, value }) => [`\`${name}\``, value && `\`${value}\``]),
        )
      : undefined,
    used.length > 0
      ? table(
          ["Node", "What it does"],
          used.map(({ title: node, summary, category }) => [
            `[${node}](../palette/${groupSlugOf(category)}.md)`,
            summary,
          ]),
        )
      : undefined,
    `In Node-RED: menu, Import, Examples, @fxdesk/toolkit, ${file
      .replace(/\.json$/, "")
      .split("/")
      .map((name) => `“${name}”`)
      .join(", ")}.`,
    "[All recipes](README.md) · [The nodes](../nodes.md)",
  );
}

const recipesIndex = (recipes: readonly Recipe[]): string =>
  page(
    generatedNotice,
    "# Recipes",
    "Example flows in the import menu of Node-RED. A comment in each flow lists the settings to fill in; the information sidebar shows the same text. The flows run against a sandbox, started with `npm start` or `npx fxdesk sandbox`. Recipes write files only to the folder `fxdesk` in the home directory, unless you set another one. If a recipe needs more, for example a mail server or a release policy, its page says so.",
    ...[...new Set(recipes.map(({ folder }) => folder))].flatMap((folder) => [
      `## ${folder.replace(/^\d+ /, "")}`,
      table(
        ["Recipe", "What it does"],
        recipes
          .filter((recipe) => recipe.folder === folder)
          .map(({ title, slug, description }) => [`[${title}](${slug}.md)`, description]),
      ),
    ]),
  );

/** Returns the section of a node: its fields, their rules and what it sends. */
function nodeSection({ label, fields, rules, payload }: CatalogueNode): string {
  const rows = fields.map(({ title, name, type, required, choices, description }) => [
    title,
    `\`${name}\``,
    choices ? choices.join(", ") : type,
    required ? "yes" : "",
    description,
  ]);
  return [
    `## ${label}`,
    ...(rows.length > 0 ? [table(["Field", "Name", "Type or choices", "Required", "Meaning"], rows)] : []),
    ...(rules.length > 0 ? [rules.map((rule) => `- ${rule}`).join("\n")] : []),
    ...payload.map(
      ({ description, fields: sent }) =>
        `Result: ${description}${sent.length > 0 ? ` Payload: ${sent.map(({ path }) => `\`${path}\``).join(", ")}.` : ""}`,
    ),
  ].join("\n\n");
}

function groupPage(
  category: string,
  nodes: readonly DocumentedNode[],
  recipes: readonly Recipe[],
  catalogue: ReadonlyMap<string, CatalogueNode>,
): string {
  const slug = groupSlugOf(category);
  const described = nodes.flatMap(({ type }) => catalogue.get(type) ?? []).map(nodeSection);
  const rows = nodes.map(({ type, title, summary, effect }) => [
    title,
    summary,
    effect ? effects[effect] : "",
    recipes
      .filter(({ flow }) => flow.some((node) => node.type === type))
      .map((recipe) => `[${recipe.title}](../recipes/${recipe.slug}.md)`)
      .join(", "),
  ]);
  return page(
    generatedNotice,
    `# ${category}`,
    `![The nodes in the palette](images/${slug}.webp)`,
    "Blue nodes only read. Yellow nodes request or change something. Red nodes commit or move money, or change who may approve payments. Green nodes with round ends start a flow.",
    table(["Node", "What it does", "Effect", "Recipes"], rows),
    ...described,
    "[All groups](README.md) · [How the nodes work](../nodes.md)",
  );
}

const groupsIndex = (groups: ReadonlyMap<string, readonly DocumentedNode[]>): string =>
  page(
    generatedNotice,
    "# The palette",
    "All nodes by group, in the order of work. The search of the palette also finds nodes by keywords in English and German, such as “send money” or “Kontostand”. Each group is a node set of its own, which an administrator can disable in the palette manager. The set “fxdesk” has the connection, which the others need.",
    table(
      ["Group", "Nodes"],
      [...groups].map(([category, nodes]) => [
        `[${category}](${groupSlugOf(category)}.md)`,
        nodes.map(({ title }) => title).join(", "),
      ]),
    ),
  );

/** Returns file contents by path below docs. Recipes in `withPage` have a picture of the page that they serve. */
export function documentFiles(
  service: Service,
  examples: readonly Example[],
  withPage: ReadonlySet<string>,
): Readonly<Record<string, string>> {
  const declared = declaredNodes(service);
  const daily = new Set(
    paletteGroupsOf(declarationsOf(service)).flatMap(({ category, isDaily }) => (isDaily ? category : [])),
  );
  const documented = [
    ...declared.filter(({ category }) => daily.has(category)),
    ...otherDocumentedNodes("releases"),
    ...declared.filter(({ category }) => !daily.has(category)),
    ...otherDocumentedNodes("mcp"),
  ];
  const catalogue = new Map(catalogueOf(service).map((node) => [node.type, node]));
  const nodes = new Map(documented.map((node) => [node.type, node]));
  const recipes = examples.map(toRecipe);
  const categories = [...new Set(documented.map(({ category }) => category))];
  const groups = new Map(
    categories.map((category) => [category, documented.filter((node) => node.category === category)]),
  );
  return Object.fromEntries([
    ["recipes/README.md", recipesIndex(recipes)],
    ...recipes.map((recipe) => [
      `recipes/${recipe.slug}.md`,
      recipePage(recipe, nodes, withPage.has(recipe.slug)),
    ]),
    ["palette/README.md", groupsIndex(groups)],
    ...[...groups].map(([category, members]) => [
      `palette/${groupSlugOf(category)}.md`,
      groupPage(category, members, recipes, catalogue),
    ]),
  ]);
}
