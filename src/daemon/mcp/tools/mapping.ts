import { ServiceError, validationError } from '../../../core/errors/index.js'
import { contradiction, impliedType, priceTypeNamed } from '../../../core/orders/index.js'
import { isObject } from '../../../core/validation/index.js'
import type { JsonSchema } from '../../openapi/json-schema.js'
import type { Mapping } from '../../operations/tool-facts.js'
import type { Arguments } from './tool.js'

const PRICE_TYPE = 'price_type'

/** Returns the payload. @throws ServiceError `validation` for an argument that the tool does not have */
export function payloadOf(
  { defaults, fixed = {}, names = {}, without = [] }: Mapping,
  given: Arguments,
): object {
  const own = new Set([...Object.keys(fixed), ...without])
  const foreign = Object.keys(given).find((name) => own.has(name))
  if (foreign !== undefined) throw validationError({ [foreign]: ['Unknown field.'] })
  const payload = { ...renamed({ ...defaults, ...given }, names), ...fixed }
  return Object.hasOwn(names, PRICE_TYPE) ? withPriceTypes(payload) : payload
}

/** Renames members, also of the objects in lists. A name of the payload that was replaced is unknown here. */
function renamed(
  given: Arguments,
  names: Readonly<Record<string, string>>,
  at = '',
): Record<string, unknown> {
  const replaced = new Map(Object.entries(names).map(([argument, member]) => [member, argument]))
  const members = Object.entries(given).map(([name, value]) => {
    const better = replaced.get(name)
    if (better !== undefined) {
      throw validationError({ [`${at}${name}`]: [`Unknown field. Did you mean "${better}"?`] })
    }
    return [Object.hasOwn(names, name) ? names[name] : name, inside(value, names, `${at}${name}.`)]
  })
  return Object.fromEntries(members)
}

function inside(value: unknown, names: Readonly<Record<string, string>>, at: string): unknown {
  if (Array.isArray(value)) return value.map((item, place) => inside(item, names, `${at}${place}.`))
  return isObject(value) ? renamed(value, names, at) : value
}

/** Returns a validation error of the payload with the names of the arguments; any other error unchanged. */
export function inArguments(error: unknown, { names = {} }: Mapping): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'validation' || !error.errors) return error
  const argumentOf = new Map(Object.entries(names).map(([argument, member]) => [member, argument]))
  const errors = Object.entries(error.errors).map(([path, texts]) => {
    const renamedPath = path
      .split('.')
      .map((part) => argumentOf.get(part) ?? part)
      .join('.')
    return [renamedPath, texts]
  })
  return validationError(Object.fromEntries(errors), error.extra)
}

/** Returns the schema of the arguments from that of the payload. */
export function argumentSchema(
  payload: JsonSchema,
  { defaults = {}, fixed = {}, names = {}, without = [] }: Mapping,
) {
  const { properties = {}, required = [], ...rest } = schemaWithNames(payload, names)
  const hidden = new Set([...Object.keys(fixed), ...without])
  const shown = Object.entries(properties).flatMap(([name, schema]) =>
    hidden.has(name) ? [] : [[name, withDefault(schema, defaults[name])] as const],
  )
  return {
    ...rest,
    properties: Object.fromEntries(shown),
    required: required.filter((name) => !hidden.has(name) && !Object.hasOwn(defaults, name)),
  }
}

function withDefault(schema: JsonSchema, value: unknown): JsonSchema {
  return value === undefined ? schema : { ...schema, default: value }
}

function schemaWithNames(schema: JsonSchema, names: Readonly<Record<string, string>>): JsonSchema {
  const argumentOf = new Map(Object.entries(names).map(([argument, member]) => [member, argument]))
  const { items, properties, required } = schema
  return {
    ...schema,
    ...(items && { items: schemaWithNames(items, names) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, one]) => {
          const argument = argumentOf.get(name) ?? name
          const { default: usual, ...schema } = schemaWithNames(one, names)
          // The prices of an order decide its price type, not the default of the API.
          const hasDefault = usual !== undefined && argument !== PRICE_TYPE
          return [argument, hasDefault ? { ...schema, default: usual } : schema]
        }),
      ),
    }),
    ...(required && { required: required.map((name) => argumentOf.get(name) ?? name) }),
  }
}

type Payload = Record<string, unknown>

const NAMES = { type: 'price_type', price: 'price', trigger: 'trigger_price' }

/**
 * Returns a payload of orders, each with the price type that its prices imply: the API would take it for MARKET
 * and ignore them. @throws ServiceError `validation` for a price that its price type does not have
 */
function withPriceTypes(payload: Payload, at = ''): Payload {
  const lists = Object.entries(payload).map(([name, value]) => [
    name,
    Array.isArray(value)
      ? value.map((item: unknown, place) =>
          isObject(item) ? withPriceTypes(item, `${at}${name}.${place}.`) : item,
        )
      : value,
  ])
  return { ...Object.fromEntries(lists), ...priceTypeOf(payload, at) }
}

function priceTypeOf({ price, pricetype, trigger_price }: Payload, at: string): Payload {
  const prices = { price, trigger: trigger_price }
  if (pricetype === undefined || pricetype === null) {
    const implied = impliedType(prices)
    return implied === 'MARKET' ? {} : { pricetype: implied }
  }
  const type = priceTypeNamed(pricetype)
  const clash = type && contradiction(type, prices, NAMES)
  if (!clash) return {}
  const field = clash.price === 'price' ? 'price' : 'trigger_price'
  throw validationError({ [`${at}${field}`]: [`${clash.message} ${clash.remedy}`] })
}
