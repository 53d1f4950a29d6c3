/** Seed of random tests: fixed unless FXDESK_SEED is set. Failures are reported with it. */
import { configureGlobal } from "fast-check";

configureGlobal({ seed: Number(process.env.FXDESK_SEED ?? 20_260_316) });
