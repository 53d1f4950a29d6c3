/** What a service calls the server of its open-banking interfaces. */
export const openBankingServer = "xs2a";
