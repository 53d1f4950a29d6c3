/**
 * Bank holidays by currency, computed by rule. EUR, USD and GBP follow TARGET, the Federal Reserve and the banks of
 * England; the others are simplified demo data. Currencies without rules settle on every weekday.
 */
import { addDays, weekdayOf } from "./days";
import { chinese, deepavali, hebrew, islamic, islamicDays, newMoons } from "./lunar-holidays";
import {
  date,
  dates,
  easterDays,
  feastDays,
  friday,
  type Holidays,
  last,
  moveFromSunday,
  monday,
  nth,
  orthodoxEaster,
  since,
  moveFromWeekend,
  sunday,
  sundayToMonday,
  thursday,
  weekdayFrom,
} from "./holiday-rules";

const target: Holidays = (year) => [
  ...dates(year, [1, 1], [5, 1], [12, 25], [12, 26]),
  ...easterDays(year, "goodFriday", "easterMonday"),
];

const federalReserve: Holidays = (year) => [
  ...dates(year, [1, 1], [6, 19], [7, 4], [11, 11], [12, 25]).map(sundayToMonday),
  nth(year, 1, monday, 3),
  nth(year, 2, monday, 3),
  last(year, 5, monday),
  nth(year, 9, monday, 1),
  nth(year, 10, monday, 2),
  nth(year, 11, thursday, 4),
];

const england: Holidays = (year) => [
  ...moveFromWeekend(dates(year, [1, 1], [12, 25], [12, 26])),
  ...easterDays(year, "goodFriday", "easterMonday"),
  nth(year, 5, monday, 1),
  last(year, 5, monday),
  last(year, 8, monday),
];

/** Returns the day of an equinox in Japan, based on that of 1980. Valid until 2099. */
const equinox = (year: number, month: number, in1980: number) =>
  date(year, month, Math.floor(in1980 + 0.242194 * (year - 1980) - Math.floor((year - 1980) / 4)));

/** A holiday on a Sunday moves to the next free day, and a day between two holidays is a holiday. */
function japan(year: number): readonly string[] {
  const own = [
    ...dates(year, [1, 1], [2, 11], [2, 23], [4, 29], [5, 3], [5, 4], [5, 5], [8, 11], [11, 3], [11, 23]),
    equinox(year, 3, 20.8431),
    equinox(year, 9, 23.2488),
    nth(year, 1, monday, 2),
    nth(year, 7, monday, 3),
    nth(year, 9, monday, 3),
    nth(year, 10, monday, 2),
  ];
  const moved = (day: string): string => (own.includes(day) ? moved(addDays(day, 1)) : day);
  return [
    ...own,
    ...own.filter((day) => weekdayOf(day) === sunday).map(moved),
    ...own.filter((day) => own.includes(addDays(day, 2))).map((day) => addDays(day, 1)),
    ...dates(year, [1, 2], [1, 3], [12, 31]),
  ];
}

const switzerland: Holidays = (year) => [
  ...dates(year, [1, 1], [1, 2], [5, 1], [8, 1], [12, 25], [12, 26]),
  ...easterDays(year, "goodFriday", "easterMonday", "ascension", "whitMonday"),
];

const canada: Holidays = (year) => [
  ...moveFromWeekend(dates(year, [1, 1], [7, 1], [9, 30], [11, 11], [12, 25], [12, 26])),
  ...easterDays(year, "goodFriday"),
  nth(year, 2, monday, 3),
  weekdayFrom(date(year, 5, 18), monday),
  nth(year, 8, monday, 1),
  nth(year, 9, monday, 1),
  nth(year, 10, monday, 2),
];

const australia: Holidays = (year) => [
  ...moveFromWeekend(dates(year, [1, 1], [1, 26], [12, 25], [12, 26])),
  ...dates(year, [4, 25]),
  ...easterDays(year, "goodFriday", "easterMonday"),
  nth(year, 6, monday, 2),
  nth(year, 10, monday, 1),
];

/** Matariki: the Friday of the moon's last quarter in the Maori month in which the Pleiades return. */
const matariki = (year: number) =>
  newMoons(year)
    .map((newMoon) => weekdayFrom(addDays(newMoon, 20), friday))
    .filter((day) => day >= date(year, 6, 19) && day <= date(year, 7, 17));

const newZealand: Holidays = (year) => [
  ...moveFromWeekend(dates(year, [1, 1], [1, 2], [2, 6], [4, 25], [12, 25], [12, 26])),
  ...easterDays(year, "goodFriday", "easterMonday"),
  nth(year, 6, monday, 1),
  ...since(2022, year, matariki(year)),
  nth(year, 10, monday, 4),
];

const poland: Holidays = (year) => [
  ...dates(year, [1, 1], [1, 6], [5, 1], [5, 3], [8, 15], [11, 1], [11, 11], [12, 25], [12, 26]),
  ...since(2025, year, dates(year, [12, 24])),
  ...easterDays(year, "easterMonday", "corpusChristi"),
];

const sweden: Holidays = (year) => [
  ...dates(year, [1, 1], [1, 6], [5, 1], [6, 6], [12, 24], [12, 25], [12, 26], [12, 31]),
  ...easterDays(year, "goodFriday", "easterMonday", "ascension"),
  weekdayFrom(date(year, 6, 19), friday),
];

const norway: Holidays = (year) => [
  ...dates(year, [1, 1], [5, 1], [5, 17], [12, 25], [12, 26]),
  ...easterDays(year, "maundyThursday", "goodFriday", "easterMonday", "ascension", "whitMonday"),
];

const denmark: Holidays = (year) => [
  ...dates(year, [1, 1], [6, 5], [12, 24], [12, 25], [12, 26], [12, 31]),
  ...easterDays(year, "maundyThursday", "goodFriday", "easterMonday", "ascension", "fridayAfterAscension"),
  ...easterDays(year, "whitMonday"),
];

const czechia: Holidays = (year) => [
  ...dates(year, [1, 1], [5, 1], [5, 8], [7, 5], [7, 6], [9, 28], [10, 28], [11, 17]),
  ...dates(year, [12, 24], [12, 25], [12, 26]),
  ...since(2016, year, easterDays(year, "goodFriday")),
  ...easterDays(year, "easterMonday"),
];

const hungary: Holidays = (year) => [
  ...dates(year, [1, 1], [3, 15], [5, 1], [8, 20], [10, 23], [11, 1], [12, 25], [12, 26]),
  ...since(2024, year, dates(year, [12, 24])),
  ...since(2017, year, easterDays(year, "goodFriday")),
  ...easterDays(year, "easterMonday", "whitMonday"),
];

const romania: Holidays = (year) => [
  ...dates(year, [1, 1], [1, 2], [1, 24], [5, 1], [6, 1], [8, 15], [11, 30], [12, 1], [12, 25], [12, 26]),
  ...since(2024, year, dates(year, [1, 6], [1, 7])),
  ...since(2018, year, feastDays(orthodoxEaster(year), "goodFriday")),
  ...feastDays(orthodoxEaster(year), "easterMonday", "whitMonday"),
];

const turkey: Holidays = (year) => [
  ...dates(year, [1, 1], [4, 23], [5, 1], [5, 19], [8, 30], [10, 29]),
  ...since(2017, year, dates(year, [7, 15])),
  ...islamicDays(year, 10, 1, 3),
  ...islamicDays(year, 12, 10, 13),
];

const southAfrica: Holidays = (year) => [
  ...dates(
    year,
    [1, 1],
    [3, 21],
    [4, 27],
    [5, 1],
    [6, 16],
    [8, 9],
    [9, 24],
    [12, 16],
    [12, 25],
    [12, 26],
  ).map(sundayToMonday),
  ...easterDays(year, "goodFriday", "easterMonday"),
];

/** Inauguration of the president, every six years: in December until 2018, since then in October. */
const inauguration = (year: number) =>
  year % 6 === 2 ? [year < 2024 ? date(year, 12, 1) : date(year, 10, 1)] : [];

const mexico: Holidays = (year) => [
  ...dates(year, [1, 1], [5, 1], [9, 16], [11, 2], [12, 12], [12, 25]),
  ...easterDays(year, "maundyThursday", "goodFriday"),
  nth(year, 2, monday, 1),
  nth(year, 3, monday, 3),
  nth(year, 11, monday, 3),
  ...inauguration(year),
];

/** Qingming: the sun is 15 degrees past the equinox. Valid from 2000 to 2099. */
const qingming = (year: number) =>
  date(year, 4, Math.floor(4.81 + 0.2422 * (year % 100)) - Math.floor((year % 100) / 4));

const dayBefore = (days: readonly string[]) => days.map((day) => addDays(day, -1));

/** The weeks of the new year and of October, as decreed in most years. */
const china: Holidays = (year) => [
  ...dates(year, [1, 1], [5, 1], [5, 2], [10, 1], [10, 2], [10, 3], [10, 4], [10, 5], [10, 6], [10, 7]),
  ...chinese(year, [1, 0], [1, 1], [1, 2], [1, 3], [1, 4], [1, 5], [1, 6]),
  qingming(year),
  ...chinese(year, [5, 5], [8, 15]),
];

const hongKong: Holidays = (year) =>
  moveFromSunday([
    ...dates(year, [1, 1], [5, 1], [7, 1], [10, 1], [12, 25], [12, 26]),
    ...chinese(year, [1, 1], [1, 2], [1, 3], [4, 8], [5, 5], [8, 16], [9, 9]),
    qingming(year),
    ...easterDays(year, "goodFriday", "easterMonday"),
  ]);

const singapore: Holidays = (year) =>
  moveFromSunday([
    ...dates(year, [1, 1], [5, 1], [8, 9], [12, 25]),
    ...chinese(year, [1, 1], [1, 2], [4, 15]),
    ...easterDays(year, "goodFriday"),
    ...islamic(year, [10, 1], [12, 10]),
    ...deepavali(year),
  ]);

/** Omits feasts that only Indian calendars define. */
const india: Holidays = (year) => [
  ...dates(year, [1, 26], [4, 1], [4, 14], [5, 1], [8, 15], [10, 2], [12, 25]),
  ...easterDays(year, "goodFriday"),
  ...islamic(year, [1, 10], [3, 12], [10, 1], [12, 10]),
  ...deepavali(year),
];

/** The Buddhist full-moon holidays are approximated by the Chinese calendar. */
const thailand: Holidays = (year) =>
  moveFromWeekend([
    ...dates(year, [1, 1], [4, 6], [4, 13], [4, 14], [4, 15], [5, 1], [7, 28], [8, 12], [10, 13], [10, 23]),
    ...dates(year, [12, 5], [12, 10], [12, 31]),
    ...since(2019, year, dates(year, [5, 4], [6, 3])),
    ...chinese(year, [1, 15], [4, 15], [6, 15]),
  ]);

/** Feasts begin on the evening before, when banks close. */
const israel: Holidays = (year) => [
  ...hebrew(year, ["Tishri", 1], ["Tishri", 2], ["Tishri", 10], ["Tishri", 15], ["Tishri", 22]),
  ...dayBefore(hebrew(year, ["Tishri", 1], ["Tishri", 10], ["Tishri", 15], ["Tishri", 22])),
  ...hebrew(year, ["Nisan", 15], ["Nisan", 21], ["Sivan", 6], ["Av", 9]),
  ...dayBefore(hebrew(year, ["Nisan", 15], ["Nisan", 21], ["Sivan", 6])),
  ...hebrew(year, ["Iyar", 5]).map(besideSabbath),
];

/** Independence Day moves away from the Sabbath and its adjacent days. */
const independenceMoves = [0, 1, 0, 0, 0, -1, -2];
const besideSabbath = (day: string) => addDays(day, independenceMoves[weekdayOf(day)]!);

const emirates: Holidays = (year) => [
  ...dates(year, [1, 1], [12, 2], [12, 3]),
  ...islamic(year, [1, 1], [3, 12]),
  ...islamicDays(year, 10, 1, 3),
  ...islamicDays(year, 12, 9, 12),
];

const saudiArabia: Holidays = (year) => [
  ...since(2022, year, dates(year, [2, 22])),
  ...dates(year, [9, 23]),
  ...islamicDays(year, 10, 1, 4),
  ...islamicDays(year, 12, 9, 12),
];

const kuwait: Holidays = (year) => [
  ...dates(year, [1, 1], [2, 25], [2, 26]),
  ...islamic(year, [1, 1], [3, 12], [7, 27]),
  ...islamicDays(year, 10, 1, 3),
  ...islamicDays(year, 12, 9, 12),
];

const bahrain: Holidays = (year) => [
  ...dates(year, [1, 1], [5, 1], [12, 16], [12, 17]),
  ...islamic(year, [1, 1], [1, 9], [1, 10], [3, 12]),
  ...islamicDays(year, 10, 1, 3),
  ...islamicDays(year, 12, 9, 12),
];

/** By currency. */
export const holidays: Readonly<Record<string, Holidays>> = {
  EUR: target,
  USD: federalReserve,
  GBP: england,
  JPY: japan,
  CHF: switzerland,
  CAD: canada,
  AUD: australia,
  NZD: newZealand,
  PLN: poland,
  SEK: sweden,
  NOK: norway,
  DKK: denmark,
  CZK: czechia,
  HUF: hungary,
  RON: romania,
  TRY: turkey,
  ZAR: southAfrica,
  MXN: mexico,
  CNY: china,
  HKD: hongKong,
  SGD: singapore,
  INR: india,
  THB: thailand,
  ILS: israel,
  AED: emirates,
  SAR: saudiArabia,
  KWD: kuwait,
  BHD: bahrain,
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
