/** Each example does the same in a subflow that somebody made of its nodes. */
import { examples, inSubflow } from "./support/recipes";
import { RecipeRuns } from "./support/recipe-runs";
import { Stage } from "./support/stage";

let stage: Stage;
let runs: RecipeRuns;

beforeAll(async () => {
  stage = await Stage.start(inSubflow);
  runs = new RecipeRuns(stage);
}, 90_000);

afterAll(() => stage.close());

test.each(examples)("%s", (title) => runs.run(title));
