import fc from 'fast-check'

type Fields = Readonly<Record<string, unknown>>

/** Generates a number in another form that clients use: unchanged, or as text. */
const asNumber = (value: number): fc.Arbitrary<string> =>
  fc.constantFrom(
    JSON.stringify(value),
    `${value.toFixed(6)}`,
    value.toExponential(),
    `"${value}"`,
    `" ${value} "`,
    `"${value.toFixed(4)}"`,
    `"+${value}"`,
  )

/** Generates a text with its letters unchanged, or escaped. */
const asText = (value: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    JSON.stringify(value),
    `"${value.replaceAll(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`,
  )

const BLANK = fc.constantFrom('', ' ', '\n', '\t\r\n  ')

function asValue(value: unknown): fc.Arbitrary<string> {
  if (typeof value === 'number') return asNumber(value)
  if (typeof value === 'string') return asText(value)
  if (Array.isArray(value)) {
    return fc.tuple(...value.map(asValue)).map((items) => `[${items.join(' ,\n')}]`)
  }
  if (typeof value === 'object' && value !== null) return rewritten({ ...value }, {})
  return fc.constant(JSON.stringify(value))
}

/**
 * Generates the same request as JSON in another form: fields in any order, blanks between them, numbers as
 * text, escaped letters, and default values present or absent.
 */
export function rewritten(fields: Fields, defaults: Fields): fc.Arbitrary<string> {
  const names = Object.keys(fields)
  const omissible = names.filter((name) => name in defaults && defaults[name] === fields[name])
  return fc.subarray(omissible).chain((omitted) => {
    const kept = names.filter((name) => !omitted.includes(name))
    return fc
      .shuffledSubarray(kept, { minLength: kept.length })
      .chain((order) =>
        fc.tuple(...order.map((name) => fc.tuple(asText(name), BLANK, BLANK, asValue(fields[name])))),
      )
      .map(
        (members) =>
          `{${members.map(([name, a, b, value]) => `${a}${name}${b}:${b}${value}${a}`).join(',')}}`,
      )
  })
}
