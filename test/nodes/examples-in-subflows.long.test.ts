/** Examples do the same in a subflow made of their nodes. FXDESK_RUNS sets the number of examples. */
import { examples, subflowPlacement } from "./support/recipes";
import { recipeRuns } from "./support/recipe-runs";
import { ExampleEnvironment } from "./support/example-environment";

let stage: ExampleEnvironment;
let runs: ReturnType<typeof recipeRuns>;

beforeAll(async () => {
  stage = await ExampleEnvironment.start(subflowPlacement);
  runs = recipeRuns(stage);
}, 90_000);

const count = Number(process.env.FXDESK_RUNS ?? 15);
const distance = Math.max(1, Math.floor(examples.length / count));

test.each(examples.filter((_, index) => index % distance === 0))("%s", (title) => runs.run(title));
