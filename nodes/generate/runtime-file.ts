/** The file Node-RED loads: registers the connection and a node for each operation, procedure and watch. */
import { callablesOf, type Service } from "../../core/declaration/service";
import { connectionCredentials } from "../connection/connection-node";
import { callType, connectionType, nodeTypeOf, watchType } from "../node-names";

const registrationCode = (type: string, constructor: string) =>
  `  RED.nodes.registerType(${JSON.stringify(type)}, ${constructor});`;

/** The types are literal, because the tools of the flow library read them without running the file. */
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
