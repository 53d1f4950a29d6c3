/** All recorded stores. */
import { testStores } from "./recorded-stores";

testStores("sqlite-plain", "sqlite-sealed", "postgresql-plain", "postgresql-sealed");
