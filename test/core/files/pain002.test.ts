/** pain.002: which payment, which status, why, and what to do. */
import { readPain002 } from "../../../core/files";
import { message } from "./camt-documents";

const reason = (code: string, text = "") =>
  `<StsRsnInf><Rsn><Cd>${code}</Cd></Rsn>${text && `<AddtlInf>${text}</AddtlInf>`}</StsRsnInf>`;

const report = (version: string, group: string, batches: string) =>
  message(
    `pain.002.001.${version}`,
    "CstmrPmtStsRpt",
    "OrgnlGrpInfAndSts",
    `<OrgnlMsgId>RUN</OrgnlMsgId>${group}`,
  )
    .replace(/<Id>S1.*<\/ElctrncSeqNb>/, "")
    .replace("</OrgnlGrpInfAndSts>", `$&${batches}`);

const transaction = (id: string, inside: string) =>
  `<TxInfAndSts><OrgnlEndToEndId>${id}</OrgnlEndToEndId>${inside}` +
  `<OrgnlTxRef><Amt><InstdAmt Ccy="EUR">12.50</InstdAmt></Amt></OrgnlTxRef></TxInfAndSts>`;

test.each(["03", "10"])("version .%s: the lowest level wins, with reasons in words", async (version) => {
  const text = report(
    version,
    "<GrpSts>PART</GrpSts>",
    `<OrgnlPmtInfAndSts><OrgnlPmtInfId>B1</OrgnlPmtInfId><PmtInfSts>ACSP</PmtInfSts>${transaction("A", "")}` +
      `${transaction("B", `<TxSts>RJCT</TxSts>${reason("BE04", "no town")}`)}</OrgnlPmtInfAndSts>` +
      `<OrgnlPmtInfAndSts><OrgnlPmtInfId>B2</OrgnlPmtInfId><PmtInfSts>RJCT</PmtInfSts>${reason("ZZ99")}</OrgnlPmtInfAndSts>`,
  );
  const money = { amount: "12.50", currency: "EUR" };
  const ids = { messageId: "RUN", paymentInformationId: "B1" };
  expect(await readPain002(text)).toMatchObject({
    messageId: "M1",
    originalMessageId: "RUN",
    payments: [
      { level: "payment", ...ids, endToEndId: "A", amount: money, status: "ACSP", final: false, reasons: [] },
      {
        level: "payment",
        endToEndId: "B",
        status: "RJCT",
        final: true,
        reasons: [{ code: "BE04", meaning: expect.any(String), action: expect.any(String), text: "no town" }],
      },
      {
        level: "batch",
        paymentInformationId: "B2",
        status: "RJCT",
        final: true,
        reasons: [{ code: "ZZ99" }],
      },
    ],
  });
});

test("a report on the message alone", async () => {
  const { payments } = await readPain002(report("10", `<GrpSts>RJCT</GrpSts>${reason("FF01")}`, ""));
  expect(payments).toMatchObject([{ level: "message", status: "RJCT", reasons: [{ code: "FF01" }] }]);
});

test("a report without a status says none", async () => {
  const { payments } = await readPain002(report("10", "", ""));
  expect(payments).toEqual([{ level: "message", messageId: "RUN", final: false, reasons: [] }]);
});

test.each([
  ["<Document><BkToCstmrStmt/></Document>", "unrecognised"],
  ["<!DOCTYPE a><Document><CstmrPmtStsRpt/></Document>", "invalid"],
])("refuses %s", async (text, code) => {
  await expect(readPain002(text)).rejects.toMatchObject({ name: "FormatError", code });
});
