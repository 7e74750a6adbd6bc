import fc from 'fast-check'

/**
 * Texts that are valid in some field of the service; in another field they are the hardest mistakes to
 * detect.
 */
const WORDS = [
  ...['NSE', 'NFO', 'NSE_INDEX', 'CRYPTO', 'MCX', 'nse'],
  ...['BUY', 'sell', 'MARKET', 'LIMIT', 'SL', 'SL-M', 'MIS', 'NRML', 'CNC', 'single', 'OCO', 'CE', 'pe'],
  ...['SBIN', 'NIFTY', 'NIFTY24NOV26FUT', 'NIFTY24NOV2626000CE', 'NIFTY24NOV2626000PE', 'BTCUSDFUT'],
  ...['ATM', 'ITM1', 'OTM50', 'itm3', '24NOV26', '24-NOV-26', '2026-11-20', '2026-11-16', '2026-02-30'],
  ...['1m', '5m', 'D', 'Y', '1s', 'api', 'db', 'json', 'txt', 'csv', 'options', 'futures', '15:30', '25:00'],
  ...['asha', '1', '0', '-1', '5.7', '1e2', 'NaN', 'Infinity', '1e999', '', ' ', 'null', 'true'],
]

const POISON = [
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', "'; drop table order_journal; --", '%', '_'],
  ...[
    '\u0000',
    '\u001b[2J',
    '\u202e',
    '💣'.repeat(100),
    'x'.repeat(300),
    '../../etc/passwd',
    '\ud800',
    '{{a}}',
  ],
]

const NUMBERS = fc.oneof(
  fc.integer({ min: -2, max: 200 }),
  fc.integer(),
  fc.double(),
  fc.constantFrom(0, -0, 0.05, 1e-9, 1e15, 1e21, 2 ** 53, 2 ** 53 + 2, 1e308, -1e308),
)
const LEAF = fc.oneof(
  fc.constantFrom(...WORDS),
  NUMBERS,
  NUMBERS.map(String),
  fc.constantFrom(...POISON),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(null, true, false, [], {}),
)
const JUNK = fc.oneof({ weight: 6, arbitrary: LEAF }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) })
const NAMES = fc.oneof(
  fc.constantFrom(
    'apikey',
    'strategy',
    'symbol',
    'quantity',
    'price',
    'price_type',
    '__proto__',
    'constructor',
  ),
  fc.string({ maxLength: 20 }),
)

type Fields = Readonly<Record<string, unknown>>

/** Generates a well-formed request with a few of its values, fields and rows changed, removed or added. */
export function mutated(value: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(value)) {
    const row = mutated(value[0])
    const rows = fc.oneof(
      { weight: 6, arbitrary: fc.array(row, { minLength: 1, maxLength: 3 }) },
      { weight: 1, arbitrary: fc.array(fc.oneof(row, JUNK), { maxLength: 60 }) },
    )
    return fc.oneof({ weight: 9, arbitrary: rows }, { weight: 1, arbitrary: JUNK })
  }
  if (typeof value === 'object' && value !== null) return mutatedFields({ ...value })
  return fc.oneof({ weight: 7, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: JUNK })
}

/** Mutates an object in the same way; the result is still an object. */
export function mutatedFields(fields: Fields): fc.Arbitrary<Record<string, unknown>> {
  const names = Object.keys(fields)
  const whole = fc.record(Object.fromEntries(names.map((name) => [name, mutated(fields[name])])))
  const few = { weight: 1, arbitrary: fc.subarray(names, { maxLength: Math.min(2, names.length) }) }
  const dropped = fc.oneof({ weight: 5, arbitrary: fc.constant<string[]>([]) }, few)
  const added = fc.oneof(
    { weight: 6, arbitrary: fc.constant<[string, unknown][]>([]) },
    { weight: 1, arbitrary: fc.array(fc.tuple(NAMES, JUNK), { maxLength: 4 }) },
  )
  return fc
    .tuple(whole, dropped, added)
    .map(([kept, without, extra]) =>
      Object.fromEntries([...Object.entries(kept).filter(([name]) => !without.includes(name)), ...extra]),
    )
}
