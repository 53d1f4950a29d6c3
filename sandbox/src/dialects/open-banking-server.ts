/** Name of the open-banking server in a service value. */
export const openBankingServer = "xs2a";
