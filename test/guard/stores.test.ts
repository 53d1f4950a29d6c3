/** Two of the recorded stores. The long tests replay all four, and record them. */
import { testStores } from "./recorded-stores";

testStores("sqlite-plain", "postgresql-sealed");
