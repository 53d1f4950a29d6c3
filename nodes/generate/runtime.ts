/** The file Node-RED loads: registers the connection and a node for each operation, procedure and watch. */
import { callablesOf, type Service } from "../../core/declaration/service";
import { connectionCredentials } from "../connection/connection";
import { callType, connectionType, nodeTypeOf, watchType } from "../names";

const registration = (type: string, constructor: string) =>
  `  RED.nodes.registerType(${JSON.stringify(type)}, ${constructor});`;

/** The types are literal, because the tools of the flow library read them without running the file. */
export const runtimeFile = (service: Service): string => `"use strict";
const { lazyTypes } = require("./lazily");

module.exports = (RED) => {
  const { connection, operation, watch } = lazyTypes(RED);
  const credentials = ${JSON.stringify(connectionCredentials(service))};

${registration(connectionType, "connection, { credentials }")}
${registration(callType, "operation()")}
${registration(watchType, "watch()")}
${callablesOf(service)
  .map((each) => registration(nodeTypeOf(each), `operation(${JSON.stringify(each.name)})`))
  .join("\n")}
${(service.watches ?? [])
  .map((each) => registration(nodeTypeOf(each), `watch(${JSON.stringify(each.name)})`))
  .join("\n")}
};
`;
