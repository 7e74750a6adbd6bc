/** Values that are invalid in every field of an order. */
export const POISON: readonly unknown[] = [
  {},
  [],
  [[[]]],
  true,
  { toString: 1 },
  Number.MAX_SAFE_INTEGER * 1e300,
  -1,
  -1e308,
  'NaN',
  '1e999',
  '\u0000',
  '\u001b[2J\u001b[31mred',
  '\u202egnp.exe',
  '💣'.repeat(5000),
  '__proto__',
  'constructor',
  "'; drop table order_journal; --",
  '../../etc/passwd',
  '%00%0a',
]

/** Texts in a path that are no id. */
export const IDS: readonly string[] = [
  '-1',
  '1.5',
  'NaN',
  '1e3',
  '9'.repeat(30),
  '%00',
  '%ZZ',
  '%E0%A4%A',
  '..%2f..',
  '__proto__',
  '💣',
  ' ',
]
