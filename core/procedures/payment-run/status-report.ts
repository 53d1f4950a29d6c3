/** Reads payment status reports (pain.002): the status of a bulk payment and of each payment. */
import { readElements, type XmlElement } from "../../files/pain001";

export interface ReportedStatus {
  readonly status: string | undefined;
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly endToEnd: string | undefined;
}

export interface StatusReport extends ReportedStatus {
  readonly payments: readonly ReportedStatus[];
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

const childrenOf = (element: XmlElement | undefined, name: string): readonly XmlElement[] =>
  element?.children.filter((each) => localName(each.name) === name) ?? [];

function textAt(element: XmlElement | undefined, ...path: readonly string[]): string | undefined {
  const found = path.reduce<XmlElement | undefined>((inner, name) => childrenOf(inner, name)[0], element);
  return found?.text.trim() || undefined;
}

function toStatus(element: XmlElement | undefined, name: string): ReportedStatus {
  const [reason] = childrenOf(element, "StsRsnInf");
  return {
    status: textAt(element, name),
    code: textAt(reason, "Rsn", "Cd") ?? textAt(reason, "Rsn", "Prtry"),
    message: textAt(reason, "AddtlInf"),
    endToEnd: textAt(element, "OrgnlEndToEndId"),
  };
}

/** Returns the report, or undefined if it cannot be read. The lowest level that has a status is the one of a payment. */
export function readStatusReport(document: string): StatusReport | undefined {
  const root = readElements(document);
  const [report] = childrenOf(root, "CstmrPmtStsRpt");
  if (!report) return undefined;
  const [group] = childrenOf(report, "OrgnlGrpInfAndSts");
  const information = childrenOf(report, "OrgnlPmtInfAndSts");
  const whole = toStatus(information[0] ?? group, information[0] ? "PmtInfSts" : "GrpSts");
  return {
    ...(whole.status === undefined ? toStatus(group, "GrpSts") : whole),
    payments: information.flatMap((each) =>
      childrenOf(each, "TxInfAndSts").map((transaction) => toStatus(transaction, "TxSts")),
    ),
  };
}
