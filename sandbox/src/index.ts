export const name = "sandbox";
