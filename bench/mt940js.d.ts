declare module "mt940js" {
  interface Transaction {
    date: Date;
    amount: number;
    isReversal: boolean;
    transactionType: string;
    bankReference: string;
    extraDetails: string;
    details: string;
  }
  interface Message {
    transactionReference: string;
    accountIdentification: string;
    number: { statement: string; sequence: string };
    openingBalance: number;
    closingBalance: number;
    currency: string;
    transactions: Transaction[];
  }
  export class Parser {
    parse(text: string): Message[];
  }
}
