/** pain.001 written from rows: what banks accept, read again by the reader that amounts of releases come from. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import * as fc from "fast-check";
import { type Transfer, type TransferBatch, writePain001 } from "../../../core/files";
import { readCreditTransfers } from "../../../core/files/pain001";

const debtor = {
  name: "Müller & Söhne",
  account: "DE89 3704 0044 0532 0130 00",
  bic: "TESTDEFF",
  address: {
    street: "Main Street",
    buildingNumber: "1",
    town: "Köln",
    country: "DE",
    lines: ["c/o Someone"],
  },
};

const transfer = (fields: Partial<Transfer> = {}): Transfer => ({
  endToEndId: "E2E-1",
  amount: "10.50",
  currency: "EUR",
  creditor: { name: "Payee", account: "BE71096123456769" },
  remittance: "Invoice <4711> & more",
  ...fields,
});

const referenced = (creditorReference: string): Transfer => {
  const { remittance: _, ...rest } = transfer();
  return { ...rest, creditorReference };
};

const batch = (fields: Partial<TransferBatch> = {}): TransferBatch => ({
  id: "B1",
  kind: "sepa",
  requestedDate: "2026-11-23",
  debtor,
  transfers: [transfer()],
  ...fields,
});

const write = (...batches: readonly TransferBatch[]) =>
  writePain001({ messageId: "RUN-1", createdAt: "2026-11-20T10:00:00Z", initiator: "Treasury", batches });

const abroad = transfer({
  currency: "JPY",
  amount: "1000",
  purpose: "GDDS",
  uetr: "8a562c67-ca16-48ba-b074-65581be6f001",
  creditor: { name: "株", account: "12345678", bic: "TESTJPJT", address: { town: "Tokyo", country: "JP" } },
});

const everyKind = write(
  batch({
    batchBooking: true,
    transfers: [transfer(), transfer({ instructionId: "I-1", ultimateCreditor: "Behind" })],
  }),
  batch({ id: "B2", kind: "instant", transfers: [referenced("RF18539007547034")] }),
  batch({ id: "B3", kind: "cross-border", chargeBearer: "DEBT", transfers: [abroad] }),
);

test("payments of every kind are read again", () => {
  expect(
    readCreditTransfers(everyKind)?.map(({ amount, currency, account, creditor }) => [
      amount,
      currency,
      account,
      creditor,
    ]),
  ).toEqual([
    ["10.50", "EUR", "DE89370400440532013000", "BE71096123456769"],
    ["10.50", "EUR", "DE89370400440532013000", "BE71096123456769"],
    ["10.50", "EUR", "DE89370400440532013000", "BE71096123456769"],
    ["1000", "JPY", "DE89370400440532013000", undefined],
  ]);
  expect(everyKind).toContain("<Nm>Muller + Sohne</Nm>");
});

const schemas = process.env.ISO20022_XSD;
(schemas ? test : test.skip)("is valid by the schema", () => {
  const options = ["--noout", "--schema", join(schemas!, "pain.001.001.09.xsd"), "-"];
  execFileSync("xmllint", options, { input: everyKind, stdio: ["pipe", "pipe", "pipe"] });
});

test("any amounts and texts are written exactly, or refused", () => {
  const cents = fc.bigInt({ min: 1n, max: 10n ** 11n });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cents, fc.string({ unit: "binary", minLength: 1, maxLength: 3 })), {
        minLength: 1,
        maxLength: 5,
      }),
      (rows) => {
        const amounts = rows.map(([minor]) => `${minor / 100n}.${String(minor % 100n).padStart(2, "0")}`);
        const transfers = rows.map(([, name], index) =>
          transfer({
            amount: amounts[index]!,
            creditor: { name: `X${name}`, account: "BE71096123456769" },
            remittance: `R${name}`,
          }),
        );
        expect(readCreditTransfers(write(batch({ transfers })))?.map(({ amount }) => amount)).toEqual(
          amounts,
        );
      },
    ),
    { numRuns: 20 },
  );
});

const withTransfer = (fields: Partial<Transfer>, kind: TransferBatch["kind"] = "sepa") =>
  batch({ kind, transfers: [transfer(fields)] });
const withAddress = (address: object) =>
  withTransfer({ creditor: { name: "Payee", account: "BE71096123456769", address } });

test.each<[string, TransferBatch, string]>([
  [
    "an unstructured address",
    withAddress({ lines: ["Main Street 1", "1000 Brussels"] }),
    "missing batches[0].transfers[0].creditor.address.town",
  ],
  [
    "an address without country",
    withAddress({ town: "Brussels" }),
    "missing batches[0].transfers[0].creditor.address.country",
  ],
  [
    "three free lines",
    withAddress({ town: "Brussels", country: "BE", lines: ["1", "2", "3"] }),
    "too_long batches[0].transfers[0].creditor.address.lines",
  ],
  [
    "a wrong IBAN",
    withTransfer({ creditor: { name: "Payee", account: "BE71096123456760" } }, "cross-border"),
    "check_digits batches[0].transfers[0].creditor.account",
  ],
  [
    "a number abroad without BIC",
    withTransfer({ creditor: { name: "Payee", account: "123" } }, "cross-border"),
    "missing batches[0].transfers[0].creditor.bic",
  ],
  [
    "more decimals than the currency has",
    withTransfer({ amount: "1.5", currency: "JPY" }, "cross-border"),
    "invalid batches[0].transfers[0].amount",
  ],
  ["nothing", withTransfer({ amount: "0.00" }), "invalid batches[0].transfers[0].amount"],
  ["a sign", withTransfer({ amount: "-1.00" }), "invalid batches[0].transfers[0].amount"],
  ["another currency in SEPA", withTransfer({ currency: "USD" }), "invalid batches[0].transfers[0].currency"],
  [
    "an ID that banks would change",
    withTransfer({ endToEndId: "a//b" }),
    "invalid batches[0].transfers[0].endToEndId",
  ],
  [
    "a UETR in capitals",
    withTransfer({ uetr: "8A562C67-CA16-48BA-B074-65581BE6F001" }),
    "invalid batches[0].transfers[0].uetr",
  ],
  [
    "text that is too long",
    withTransfer({ remittance: "x".repeat(141) }),
    "too_long batches[0].transfers[0].remittance",
  ],
  [
    "a reference with wrong check digits",
    batch({ transfers: [referenced("RF19539007547034")] }),
    "check_digits batches[0].transfers[0].creditorReference",
  ],
  ["a date that does not exist", batch({ requestedDate: "2026-02-30" }), "invalid batches[0].requestedDate"],
  ["no payment", batch({ transfers: [] }), "missing batches[0].transfers"],
])("refuses %s", (_, wrong, problem) => {
  const [code, field] = problem.split(" ");
  expect(() => write(wrong)).toThrow(expect.objectContaining({ name: "FormatError", code, field }));
});
