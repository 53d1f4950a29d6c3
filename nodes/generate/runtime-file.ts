/** Generates the runtime file of Node-RED, which registers the connection and all operations, procedures and watches. */
import { callablesOf, type Service } from "../../core/spec/service";
import { connectionCredentials } from "../connection/connection-node";
import { callType, connectionType, nodeTypeOf, watchType } from "../shared/node-names";

const registrationCode = (type: string, constructor: string) =>
  `  RED.nodes.registerType(${JSON.stringify(type)}, ${constructor});`;

/** Returns the code. Types are literals because flow-library tools read them without running the file. */
export const runtimeFile = (service: Service): string => `"use strict";
const { lazyNodeTypes } = require("./lazy-nodes");

module.exports = (RED) => {
  const { connection, operation, watch } = lazyNodeTypes(RED);
  const credentials = ${JSON.stringify(connectionCredentials(service))};

${registrationCode(connectionType, "connection, { credentials }")}
${registrationCode(callType, "operation()")}
${registrationCode(watchType, "watch()")}
${callablesOf(service)
  .map((each) => registrationCode(nodeTypeOf(each), `operation(${JSON.stringify(each.name)})`))
  .join("\n")}
${(service.watches ?? [])
  .map((each) => registrationCode(nodeTypeOf(each), `watch(${JSON.stringify(each.name)})`))
  .join("\n")}
};
`;
