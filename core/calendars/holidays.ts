/**
 * Bank holidays by currency, computed by rule. EUR, USD and GBP follow TARGET, the Federal Reserve and the banks of
 * England; the others are simplified. Currencies without rules settle on every weekday.
 */
import { addDays, weekdayOf } from "./days";
import {
  ascension,
  chinese,
  corpusChristi,
  daysByRules,
  easter,
  easterMonday,
  firstFrom,
  friday,
  fromNewMoon,
  goodFriday,
  hebrew,
  islamic,
  maundyThursday,
  mondaysFrom,
  moveFromSunday,
  moveFromWeekend,
  moveSundayToMonday,
  orthodoxEaster,
  on,
  type Rule,
  since,
  sunday,
  thursday,
  weekdayFrom,
  whitMonday,
} from "./holiday-rules";

const goodFridayToMonday = easter(goodFriday, easterMonday);

/** Deepavali: the day before the new moon while the sun is in Libra (sidereal). */
const deepavali = fromNewMoon(-1, "10-17", "11-15");

/** The three days after Ramadan. */
const eidAlFitr = islamic("10 1", "10 2", "10 3");
/** The day of Arafat and the three days of sacrifice. */
const eidAlAdha = islamic("12 9", "12 10", "12 11", "12 12");

/** An equinox in Japan, based on that of 1980. Valid until 2099. */
const equinox =
  (month: string, in1980: number): Rule =>
  (year) => [
    `${year}-${month}-${Math.floor(in1980 + 0.242194 * (year - 1980) - Math.floor((year - 1980) / 4))}`,
  ];

const japaneseHolidays: readonly Rule[] = [
  on("01-01", "02-11", "02-23", "04-29", "05-03", "05-04", "05-05", "08-11", "11-03", "11-23"),
  mondaysFrom("01-08", "07-15", "09-15", "10-08"),
  equinox("03", 20.8431),
  equinox("09", 23.2488),
];

/** A holiday on a Sunday moves to the next free day, and a day between two holidays is a holiday. */
function japaneseDaysOff(year: number): string[] {
  const own = daysByRules(japaneseHolidays, year);
  const moved = (day: string): string => (own.includes(day) ? moved(addDays(day, 1)) : day);
  return [
    ...own,
    ...own.filter((day) => weekdayOf(day) === sunday).map(moved),
    ...own.filter((day) => own.includes(addDays(day, 2))).map((day) => addDays(day, 1)),
  ];
}

/** Matariki: the Friday of the moon's last quarter in the Maori month in which the Pleiades return. */
const lastQuarters = fromNewMoon(20, "06-13", "07-17");
const matariki: Rule = (year) =>
  lastQuarters(year)
    .map((quarter) => weekdayFrom(quarter, friday))
    .filter((day) => day >= `${year}-06-19` && day <= `${year}-07-17`);

/** Inauguration of the Mexican president, every six years: in December until 2018, since then in October. */
const inauguration: Rule = (year) => (year % 6 === 2 ? [`${year}-${year < 2024 ? "12-01" : "10-01"}`] : []);

/** Qingming: the sun is 15 degrees past the equinox. Valid from 2000 to 2099. */
const qingming: Rule = (year) => [
  `${year}-04-0${Math.floor(4.81 + 0.2422 * (year % 100)) - Math.floor((year % 100) / 4)}`,
];

/** Israel's Independence Day moves away from the Sabbath and its adjacent days, by weekday. */
const independenceMoves = [0, 1, 0, 0, 0, -1, -2];
const independenceDay: Rule = (year) =>
  hebrew("Iyar 5")(year).map((day) => addDays(day, independenceMoves[weekdayOf(day)]!));

/** By currency. */
export const holidayRules: Readonly<Record<string, readonly Rule[]>> = {
  EUR: [on("01-01"), goodFridayToMonday, on("05-01", "12-25", "12-26")],
  USD: [
    moveSundayToMonday(on("01-01", "06-19", "07-04", "11-11", "12-25")),
    mondaysFrom("01-15", "02-15", "05-25", "09-01", "10-08"),
    firstFrom("11-22", thursday),
  ],
  GBP: [
    moveFromWeekend(on("01-01", "12-25", "12-26")),
    goodFridayToMonday,
    mondaysFrom("05-01", "05-25", "08-25"),
  ],
  JPY: [japaneseDaysOff, on("01-02", "01-03", "12-31")],
  CHF: [
    on("01-01", "01-02", "05-01", "08-01", "12-25", "12-26"),
    easter(goodFriday, easterMonday, ascension, whitMonday),
  ],
  CAD: [
    moveFromWeekend(on("01-01", "07-01", "09-30", "11-11", "12-25", "12-26")),
    easter(goodFriday),
    mondaysFrom("02-15", "05-18", "08-01", "09-01", "10-08"),
  ],
  AUD: [
    moveFromWeekend(on("01-01", "01-26", "12-25", "12-26")),
    on("04-25"),
    goodFridayToMonday,
    mondaysFrom("06-08", "10-01"),
  ],
  NZD: [
    moveFromWeekend(on("01-01", "01-02", "02-06", "04-25", "12-25", "12-26")),
    goodFridayToMonday,
    mondaysFrom("06-01", "10-22"),
    since(2022, matariki),
  ],
  PLN: [
    on("01-01", "01-06", "05-01", "05-03", "08-15", "11-01", "11-11", "12-25", "12-26"),
    since(2025, on("12-24")),
    easter(easterMonday, corpusChristi),
  ],
  SEK: [
    on("01-01", "01-06", "05-01", "06-06", "12-24", "12-25", "12-26", "12-31"),
    easter(goodFriday, easterMonday, ascension),
    firstFrom("06-19", friday),
  ],
  NOK: [
    on("01-01", "05-01", "05-17", "12-25", "12-26"),
    easter(maundyThursday, goodFriday, easterMonday, ascension, whitMonday),
  ],
  DKK: [
    on("01-01", "06-05", "12-24", "12-25", "12-26", "12-31"),
    easter(maundyThursday, goodFriday, easterMonday, ascension, ascension + 1, whitMonday),
  ],
  CZK: [
    on("01-01", "05-01", "05-08", "07-05", "07-06", "09-28", "10-28", "11-17", "12-24", "12-25", "12-26"),
    since(2016, easter(goodFriday)),
    easter(easterMonday),
  ],
  HUF: [
    on("01-01", "03-15", "05-01", "08-20", "10-23", "11-01", "12-25", "12-26"),
    since(2024, on("12-24")),
    since(2017, easter(goodFriday)),
    easter(easterMonday, whitMonday),
  ],
  RON: [
    on("01-01", "01-02", "01-24", "05-01", "06-01", "08-15", "11-30", "12-01", "12-25", "12-26"),
    since(2024, on("01-06", "01-07")),
    since(2018, orthodoxEaster(goodFriday)),
    orthodoxEaster(easterMonday, whitMonday),
  ],
  TRY: [
    on("01-01", "04-23", "05-01", "05-19", "08-30", "10-29"),
    since(2017, on("07-15")),
    eidAlFitr,
    islamic("12 10", "12 11", "12 12", "12 13"),
  ],
  ZAR: [
    moveSundayToMonday(
      on("01-01", "03-21", "04-27", "05-01", "06-16", "08-09", "09-24", "12-16", "12-25", "12-26"),
    ),
    goodFridayToMonday,
  ],
  MXN: [
    on("01-01", "05-01", "09-16", "11-02", "12-12", "12-25"),
    easter(maundyThursday, goodFriday),
    mondaysFrom("02-01", "03-15", "11-15"),
    inauguration,
  ],
  // The weeks of the new year and of October, as decreed in most years.
  CNY: [
    on("01-01", "05-01", "05-02", "10-01", "10-02", "10-03", "10-04", "10-05", "10-06", "10-07"),
    chinese([1, 0], [1, 1], [1, 2], [1, 3], [1, 4], [1, 5], [1, 6], [5, 5], [8, 15]),
    qingming,
  ],
  HKD: [
    moveFromSunday(
      on("01-01", "05-01", "07-01", "10-01", "12-25", "12-26"),
      chinese([1, 1], [1, 2], [1, 3], [4, 8], [5, 5], [8, 16], [9, 9]),
      qingming,
      goodFridayToMonday,
    ),
  ],
  SGD: [
    moveFromSunday(
      on("01-01", "05-01", "08-09", "12-25"),
      chinese([1, 1], [1, 2], [4, 15]),
      easter(goodFriday),
      islamic("10 1", "12 10"),
      deepavali,
    ),
  ],
  // Without feasts that only Indian calendars define.
  INR: [
    on("01-26", "04-01", "04-14", "05-01", "08-15", "10-02", "12-25"),
    easter(goodFriday),
    islamic("1 10", "3 12", "10 1", "12 10"),
    deepavali,
  ],
  // The Buddhist full-moon holidays are approximated by the Chinese calendar.
  THB: [
    moveFromWeekend(
      on("01-01", "04-06", "04-13", "04-14", "04-15", "05-01", "07-28", "08-12", "10-13", "10-23"),
      on("12-05", "12-10", "12-31"),
      since(2019, on("05-04", "06-03")),
      chinese([1, 15], [4, 15], [6, 15]),
    ),
  ],
  // Feasts begin on the evening before, when banks close.
  ILS: [
    hebrew("Elul 29", "Tishri 1", "Tishri 2", "Tishri 9", "Tishri 10", "Tishri 14", "Tishri 15"),
    hebrew("Tishri 21", "Tishri 22", "Nisan 14", "Nisan 15", "Nisan 20", "Nisan 21"),
    hebrew("Sivan 5", "Sivan 6", "Av 9"),
    independenceDay,
  ],
  AED: [on("01-01", "12-02", "12-03"), islamic("1 1", "3 12"), eidAlFitr, eidAlAdha],
  SAR: [since(2022, on("02-22")), on("09-23"), eidAlFitr, islamic("10 4"), eidAlAdha],
  KWD: [on("01-01", "02-25", "02-26"), islamic("1 1", "3 12", "7 27"), eidAlFitr, eidAlAdha],
  BHD: [on("01-01", "05-01", "12-16", "12-17"), islamic("1 1", "1 9", "1 10", "3 12"), eidAlFitr, eidAlAdha],
};

/** First day of weekends other than Saturday and Sunday, each valid until a day; Saturday afterwards. */
export const otherWeekends: Readonly<
  Record<string, readonly (readonly [until: string, firstDay: number])[]>
> = {
  AED: [
    ["2006-08-31", thursday],
    ["2021-12-31", friday],
  ],
  SAR: [
    ["2013-06-28", thursday],
    ["9999-12-31", friday],
  ],
  KWD: [
    ["2007-08-31", thursday],
    ["9999-12-31", friday],
  ],
  BHD: [
    ["2006-08-31", thursday],
    ["9999-12-31", friday],
  ],
  ILS: [["9999-12-31", friday]],
};
