/**
 * Random tests are the same every time, unless FXDESK_SEED says which others; what fails is reported with its seed.
 */
import { configureGlobal } from "fast-check";

configureGlobal({ seed: Number(process.env.FXDESK_SEED ?? 20_260_316) });
