/** The file Node-RED loads: registers the connection and a node for each operation. */
import type { Declaration } from "../../core/operations/declaration";
import { connectionType, nodeTypeOf } from "../names";

const registration = (operation: Declaration) =>
  `  RED.nodes.registerType(${JSON.stringify(nodeTypeOf(operation))}, node(${JSON.stringify(operation.name)}));`;

/** The types are literal, because the tools of the flow library read them without running the file. */
export const runtimeFile = (operations: readonly Declaration[]): string => `"use strict";
const { operations } = require("../core/operations");
const { connectionCredentials, connectionNode } = require("./connection/connection");
const { operationNode } = require("./operation/operation");

module.exports = (RED) => {
  const node = (name) => operationNode(RED, operations.find((operation) => operation.name === name));

  RED.nodes.registerType(${JSON.stringify(connectionType)}, connectionNode(RED), { credentials: connectionCredentials });
${operations.map(registration).join("\n")}
};
`;
