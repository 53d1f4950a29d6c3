/** The file Node-RED loads: registers the connection and a node for each operation. */
import type { Service } from "../../core/declaration/service";
import { callType, connectionType, nodeTypeOf } from "../names";

const registration = (type: string, constructor: string) =>
  `  RED.nodes.registerType(${JSON.stringify(type)}, ${constructor});`;

/** The types are literal, because the tools of the flow library read them without running the file. */
export const runtimeFile = ({ operations }: Service): string => `"use strict";
const { nodeTypes } = require("./types");

module.exports = (RED) => {
  const { connection, credentials, operation } = nodeTypes(RED);

${registration(connectionType, "connection, { credentials }")}
${registration(callType, "operation()")}
${operations.map((each) => registration(nodeTypeOf(each), `operation(${JSON.stringify(each.name)})`)).join("\n")}
};
`;
