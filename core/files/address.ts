import type { PostalAddress } from "./statement";

/** Elements of an address by field, in the order of the schema. */
export const addressElements = {
  department: "Dept",
  street: "StrtNm",
  buildingNumber: "BldgNb",
  buildingName: "BldgNm",
  floor: "Flr",
  postBox: "PstBx",
  room: "Room",
  postCode: "PstCd",
  town: "TwnNm",
  district: "DstrctNm",
  subdivision: "CtrySubDvsn",
  country: "Ctry",
} as const satisfies Partial<Record<keyof PostalAddress, string>>;
