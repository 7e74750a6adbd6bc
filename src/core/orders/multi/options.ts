import { publicMessageOf, ServiceError } from '../../errors/index.js'
import { isExchange } from '../../instruments/index.js'
import { partCount } from '../../money/index.js'
import { baseOf, countsOf, publishPlaced } from '../publish/publish.js'
import { markedWith, refusal } from '../result.js'
import { ACTIONS, instructionTerms, sideOf } from '../schema.js'
import type { MultiOrderKind, PlanTools } from './kind.js'
import type { OptionResolver, ResolvedOption } from './option-port.js'
import { atOnce, oneByOne, ordersOf, type Pacing, type PlannedLeg, tenASecond } from './plans/plan.js'
import {
  type OptionsMultiOrderPayload,
  type OptionsOrderPayload,
  type OrderLine,
  optionsMultiOrderPayload,
  optionsOrderPayload,
  orderOf,
} from './schema.js'
import { MAX_PARTS, ordersOfParts, TOO_MANY_PARTS } from './split.js'

type Leg = OptionsMultiOrderPayload['legs'][number]
type Underlying = Pick<OptionsMultiOrderPayload, 'underlying' | 'exchange' | 'strike_int' | 'expiry_date'>

function resolverOf({ options }: PlanTools): OptionResolver {
  if (options) return options
  throw new ServiceError('unsupported', 'Option orders are not available: no options directory is connected.')
}

function resolve(
  resolver: OptionResolver,
  { underlying, exchange, strike_int, expiry_date }: Underlying,
  leg: Pick<Leg, 'offset' | 'option_type' | 'expiry_date'>,
  underlyingLtp?: number,
): Promise<ResolvedOption> {
  return resolver.resolve({
    underlying,
    exchange,
    // An empty text is no expiry: the common one counts.
    expiryDate: leg.expiry_date?.trim() || expiry_date,
    strikeInt: strike_int ?? undefined,
    offset: leg.offset,
    optionType: typeOf(leg),
    underlyingLtp,
  })
}

function typeOf({ option_type }: Pick<Leg, 'option_type'>): 'CE' | 'PE' {
  return option_type === 'CE' || option_type === 'ce' ? 'CE' : 'PE'
}

/** Returns the order for the resolved option contract. */
function lineOf(leg: Omit<Leg, 'expiry_date'>, { symbol, exchange }: ResolvedOption): OrderLine {
  if (!isExchange(exchange)) throw new Error(`${symbol} was found on an unknown exchange: ${exchange}`)
  const { action, quantity, pricetype, product, price, trigger_price, disclosed_quantity } = leg
  const terms = { symbol, exchange, action, quantity, pricetype, product, price, trigger_price }
  return { ...terms, disclosed_quantity, ...instructionTerms(leg) }
}

/** `optionsorder`: finds the option contract, then places one order or a split. */
export const OPTIONS_ORDER: MultiOrderKind<OptionsOrderPayload, 'optionsorder'> = {
  operation: 'optionsorder',
  payload: optionsOrderPayload,
  publishesEachFailure: true,
  async plan(payload, { mode }, tools) {
    const { splitsize, strategy, quantity } = payload
    const size = splitsize ?? 0
    const marks = mode === 'analyze' ? { mode } : {}
    if (size > 0 && partCount(quantity, size) > MAX_PARTS) {
      return { result: markedWith(mode, refusal('refused', TOO_MANY_PARTS)) }
    }
    const option = await resolve(resolverOf(tools), payload, payload)
    const line = lineOf(payload, option)
    const head = {
      symbol: option.symbol,
      exchange: option.exchange,
      underlying: payload.underlying,
      underlying_ltp: option.underlyingLtp,
      offset: payload.offset,
      option_type: typeOf(payload),
      ...marks,
    }
    if (size === 0) {
      const order = orderOf(line, strategy, option.underlyingLtp)
      return {
        plan: { shape: 'single', head, legs: [{ shown: {}, orders: [{ shown: {}, order }] }] },
        pacing: oneByOne(1, 0),
        gated: true,
        resumable: true,
      }
    }
    const parts = ordersOfParts(line, size, strategy, option.underlyingLtp)
    return {
      plan: {
        shape: 'list',
        head: { ...head, total_quantity: quantity, split_size: size },
        legs: parts.map((part) => ({ shown: {}, orders: [part] })),
      },
      pacing: oneByOne(parts.length, tools.splitPauseMs),
      gated: true,
      resumable: true,
    }
  },
  publish({ strategy, action, pricetype, product }, { outcome, plan }, ports) {
    const [first] = ordersOf(plan)
    if (!first) return
    if (plan.shape === 'single') {
      publishPlaced(ports, outcome, first.order)
      return
    }
    const { symbol, exchange } = first.order
    const { result } = outcome
    ports.publish({
      topic: 'options.completed',
      result,
      facts: {
        ...baseOf(outcome),
        strategy,
        symbol,
        exchange,
        action: sideOf(action),
        pricetype,
        product,
        ...countsOf(result),
      },
    })
  },
}

/**
 * `optionsmultiorder`: the BUY legs go first, so that they cover the SELL legs. A failed leg does not stop
 * the others. The underlying's price is read once, so that all strikes are counted from the same price.
 */
export const OPTIONS_MULTI_ORDER: MultiOrderKind<OptionsMultiOrderPayload, 'optionsmultiorder'> = {
  operation: 'optionsmultiorder',
  payload: optionsMultiOrderPayload,
  publishesEachFailure: true,
  async plan(payload, { mode }, tools) {
    const resolver = resolverOf(tools)
    const legs: PlannedLeg[] = []
    let ltp: number | undefined
    for (const [index, leg] of payload.legs.entries()) {
      const option = await resolve(resolver, payload, leg, ltp).catch(failed)
      if (!('message' in option)) ltp = option.underlyingLtp
      legs.push(planLeg(payload, leg, index + 1, mode, option))
    }
    const head = { underlying: payload.underlying, underlying_ltp: ltp ?? null }
    return {
      plan: { shape: 'list', head: mode === 'analyze' ? { ...head, mode } : head, legs },
      pacing: pacingOf(payload, legs, mode, tools),
      gated: true,
      resumable: true,
    }
  },
  publish({ strategy, underlying, exchange }, { outcome }, ports) {
    const { result } = outcome
    const { successful, total } = countsOf(result)
    ports.publish({
      topic: 'multiorder.completed',
      result,
      facts: {
        ...baseOf(outcome),
        strategy,
        underlying,
        exchange,
        successful_legs: successful,
        failed_legs: total - successful,
        total,
      },
    })
  },
}

function planLeg(
  payload: OptionsMultiOrderPayload,
  leg: Leg,
  number: number,
  mode: string,
  option: ResolvedOption | { message: string },
): PlannedLeg {
  const named = { offset: leg.offset, option_type: typeOf(leg), action: sideOf(leg.action) }
  if ('message' in option) {
    return { name: `leg ${number}`, shown: { leg: number, ...named }, problem: option.message, orders: [] }
  }
  const { symbol, exchange } = option
  const shown = { leg: number, symbol, exchange, product: leg.product, ...named, mode }
  const line = lineOf(leg, option)
  const size = leg.splitsize ?? 0
  if (size === 0) {
    const order = orderOf(line, payload.strategy, option.underlyingLtp)
    return { name: symbol, shown, orders: [{ shown: {}, order }] }
  }
  if (partCount(leg.quantity, size) > MAX_PARTS) {
    const problem = `Split orders would exceed maximum limit of ${MAX_PARTS} per leg`
    return { name: symbol, shown, problem, orders: [] }
  }
  const orders = ordersOfParts(line, size, payload.strategy, option.underlyingLtp)
  return { name: symbol, shown, split: { total_quantity: leg.quantity, split_size: size }, orders }
}

/**
 * Returns the pacing: a pause between any two orders of a split, in either mode; otherwise the broker's own
 * rate.
 */
function pacingOf(
  payload: OptionsMultiOrderPayload,
  legs: readonly PlannedLeg[],
  mode: string,
  { splitPauseMs }: PlanTools,
): Pacing {
  const waves = buysFirst(legs)
  const isSplit = payload.legs.some(({ splitsize }) => (splitsize ?? 0) > 0)
  if (isSplit) return { ...oneByOne(waves.length, splitPauseMs), waves }
  return mode === 'live' ? { ...tenASecond(waves.length), waves } : atOnce(waves.flat())
}

/** Returns the positions of the orders in the plan, BUY orders before SELL orders. */
function buysFirst(legs: readonly PlannedLeg[]): number[][] {
  const placed = legs.flatMap(({ orders }) => orders).map(({ order }, place) => ({ order, place }))
  return ACTIONS.flatMap((side) =>
    placed.filter(({ order }) => sideOf(order.action) === side).map(({ place }) => [place]),
  )
}

/** Returns why a leg has no contract. The other legs continue. */
function failed(error: unknown): { message: string } {
  return { message: publicMessageOf(error, 'Internal error') }
}
