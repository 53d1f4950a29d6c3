/** Ends the process with a sentence if its version of Node.js is too old for the modules of fxdesk. */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`fxdesk requires Node.js 20.19 or later; this is ${process.versions.node}.\n`);
  process.exit(2);
}
