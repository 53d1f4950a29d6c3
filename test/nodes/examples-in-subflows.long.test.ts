/** Each example does the same in a subflow that somebody made of its nodes. */
import { examples, subflowPlacement } from "./support/recipes";
import { recipeRuns } from "./support/recipe-runs";
import { ExampleEnvironment } from "./support/example-environment";

let stage: ExampleEnvironment;
let runs: ReturnType<typeof recipeRuns>;

beforeAll(async () => {
  stage = await ExampleEnvironment.start(subflowPlacement);
  runs = recipeRuns(stage);
}, 90_000);

afterAll(() => stage.close());

test.each(examples)("%s", (title) => runs.run(title));
