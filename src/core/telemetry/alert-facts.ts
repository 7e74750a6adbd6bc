type Facts = Readonly<Record<string, unknown>>

/** A line of an alert. Symbols are highlighted if the channel supports it. */
export type AlertLine =
  | { label: string; text: unknown }
  | { label: string; symbol: unknown }
  /** The result of one of several orders. */
  | { isOk: boolean; symbol: unknown; text: string }
  | { text: string }

export interface AlertFacts {
  title: string
  lines(request: Facts, response: Facts): readonly AlertLine[]
}

/** The number of orders of a request that are listed one by one. */
const SHOWN = { basket: 3, options: 5, cancelled: 5 } as const

/** The title and lines of an alert, by operation. */
export const ALERTS: Readonly<Record<string, AlertFacts>> = {
  placeorder: {
    title: 'Order Placed',
    lines: (request, response) => [
      { label: 'Symbol', symbol: request.symbol },
      fact('Action', request.action),
      fact('Quantity', request.quantity),
      fact('Price Type', request.pricetype),
      fact('Exchange', request.exchange),
      fact('Product', request.product),
      succeeded(response) ? fact('Order ID', response.orderid) : failure(response),
    ],
  },
  placesmartorder: {
    title: 'Smart Order Placed',
    lines: (request, response) => [
      { label: 'Symbol', symbol: request.symbol },
      fact('Action', request.action),
      fact('Quantity', request.quantity),
      fact('Position Size', request.position_size),
      fact('Exchange', request.exchange),
      ...(succeeded(response) && response.orderid ? [fact('Order ID', response.orderid)] : []),
    ],
  },
  basketorder: {
    title: 'Basket Order Executed',
    lines: (_request, response) => {
      const results = rowsOf(response.results)
      return [
        ...counts('Total Orders', results),
        ...listed(results, SHOWN.basket, (row) => `: ${outcomeOf(row)}`),
      ]
    },
  },
  splitorder: {
    title: 'Split Order Executed',
    lines: (request, response) => {
      const results = rowsOf(response.results)
      return [
        { label: 'Symbol', symbol: request.symbol },
        fact('Total Quantity', request.quantity),
        fact('Split Size', request.splitsize),
        ...counts('Total Orders', results),
        ...splitOutcome(results),
      ]
    },
  },
  optionsorder: {
    title: 'Options Order Executed',
    lines: (request, response) => {
      const results = rowsOf(response.results)
      const underlying = fact('Underlying', response.underlying ?? request.underlying)
      if (results.length === 0) {
        return [
          underlying,
          { label: 'Symbol', symbol: response.symbol ?? request.symbol },
          fact('Action', request.action),
          fact('Quantity', request.quantity),
          succeeded(response) ? fact('Order ID', response.orderid) : failure(response),
        ]
      }
      const { symbol } = response
      const rows = results.map((row) => ({ symbol, action: request.action, ...row }))
      return [underlying, ...counts('Total Orders', rows), ...listed(rows, SHOWN.options, legOutcome)]
    },
  },
  optionsmultiorder: {
    title: 'Options Multi-Order Executed',
    lines: (request, response) => {
      const results = rowsOf(response.results)
      return [
        fact('Underlying', response.underlying ?? request.underlying),
        ...counts('Total Legs', results),
        ...listed(results, results.length, legOutcome),
        fact('Underlying LTP', response.underlying_ltp),
      ]
    },
  },
  modifyorder: {
    title: 'Order Modified',
    lines: (request, response) => [
      fact('Order ID', request.orderid),
      { label: 'Symbol', symbol: request.symbol },
      fact('New Quantity', request.quantity),
      fact('New Price', request.price),
      succeeded(response) ? { text: 'Modification Successful' } : failure(response),
    ],
  },
  cancelorder: {
    title: 'Order Cancelled',
    lines: (request, response) => [
      fact('Order ID', request.orderid),
      succeeded(response) ? { text: 'Cancellation Successful' } : failure(response),
    ],
  },
  cancelallorder: {
    title: 'All Orders Cancelled',
    lines: (_request, response) => {
      const cancelled = listOf(response.canceled_orders)
      const isShort = cancelled.length > 0 && cancelled.length <= SHOWN.cancelled
      return [
        fact('Cancelled', `${cancelled.length} orders`),
        fact('Failed', `${listOf(response.failed_cancellations).length} orders`),
        ...(isShort ? [fact('Order IDs', cancelled.join(', '))] : []),
      ]
    },
  },
  closeposition: {
    title: 'Position Closed',
    lines: (request, response) => {
      if (request.symbol !== undefined) {
        return [
          { label: 'Symbol', symbol: request.symbol },
          fact('Exchange', request.exchange),
          fact('Product', request.product),
          fact('Order ID', response.orderid),
        ]
      }
      const failed = Number(response.failed_closures ?? 0)
      return [
        ...(response.closed_positions === undefined
          ? []
          : [fact('Closed', `${response.closed_positions} positions`)]),
        failed > 0 ? fact('Failed', `${failed} positions`) : { text: 'All positions closed successfully' },
      ]
    },
  },
}

export const OTHER_ALERT: AlertFacts = { title: 'Order Update', lines: () => [] }

/** The titles of failed requests, by operation. */
const FAILED_TITLES: Readonly<Record<string, string>> = {
  placesmartorder: 'Smart Order Failed',
  basketorder: 'Basket Order Failed',
  splitorder: 'Split Order Failed',
  optionsorder: 'Options Order Failed',
  optionsmultiorder: 'Options Multi-Order Failed',
  modifyorder: 'Order Modification Failed',
  cancelorder: 'Order Cancellation Failed',
  cancelallorder: 'Cancelling All Orders Failed',
  closeposition: 'Closing Positions Failed',
  placegttorder: 'GTT Order Failed',
  modifygttorder: 'GTT Modification Failed',
  cancelgttorder: 'GTT Cancellation Failed',
  gtttriggered: 'GTT Trigger Failed',
}

/** Facts of a failed request that are shown if the request has them. */
const FAILED_FACTS = [
  ['Order ID', 'orderid'],
  ['Trigger ID', 'trigger_id'],
  ['Underlying', 'underlying'],
  ['Action', 'action'],
  ['Quantity', 'quantity'],
  ['Price Type', 'pricetype'],
  ['Exchange', 'exchange'],
  ['Product', 'product'],
] as const

/** Returns the alert of a request that failed as a whole: what was asked for, and the error. */
export function failedAlert(operation: string): AlertFacts {
  return {
    title: FAILED_TITLES[operation] ?? 'Order Failed',
    lines: (request, response) => [
      ...(request.symbol ? [{ label: 'Symbol', symbol: request.symbol }] : []),
      ...FAILED_FACTS.flatMap(([label, name]) => (request[name] ? [fact(label, request[name])] : [])),
      failure(response),
    ],
  }
}

function fact(label: string, text: unknown): AlertLine {
  return { label, text }
}

function failure(response: Facts): AlertLine {
  return fact('Error', response.message ?? 'Failed')
}

function counts(total: string, results: readonly Facts[]): AlertLine[] {
  const successful = results.filter(succeeded).length
  return [
    fact(total, results.length),
    fact('Successful', successful),
    fact('Failed', results.length - successful),
  ]
}

/** Lists the first results one by one, then the number of the rest. */
function listed(results: readonly Facts[], most: number, outcome: (row: Facts) => string): AlertLine[] {
  const lines = results
    .slice(0, most)
    .map((row): AlertLine => ({ isOk: succeeded(row), symbol: row.symbol, text: outcome(row) }))
  const left = results.length - lines.length
  return left > 0 ? [...lines, { text: `... and ${left} more` }] : lines
}

function legOutcome(row: Facts): string {
  return ` ${row.action ?? ''} → ${outcomeOf(row)}`
}

/** Returns the order id of a result, or the ids of its parts; the error message if it failed. */
function outcomeOf(row: Facts): string {
  if (!succeeded(row)) return String(row.message ?? 'Failed')
  const ids = [row, ...rowsOf(row.split_results)].flatMap(({ orderid }) => orderid ?? [])
  return ids.length > 0 ? ids.join(', ') : 'N/A'
}

function splitOutcome(results: readonly Facts[]): AlertLine[] {
  const failed = results.filter((row) => !succeeded(row))
  const [first] = failed
  if (!first) return []
  const text = failed.length === results.length ? 'All orders rejected' : 'Partial fill'
  return [{ text }, fact('Reason', first.message ?? 'Failed')]
}

function succeeded(response: Facts): boolean {
  return response.status === 'success'
}

function rowsOf(value: unknown): Facts[] {
  return listOf(value).filter((row): row is Facts => typeof row === 'object' && row !== null)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
