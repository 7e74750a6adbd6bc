import type { CommandSpec } from '../../framework/command/command.js'
import { EXIT } from '../../framework/exit-codes.js'
import { requireListed } from '../market/symbols.js'
import { ORDER_FIELDS, optionsOf, orderArgument } from './request.js'
import { orderOf, withPriceTypes } from './terms.js'

const EXAMPLE = 'order margin SBIN NSE BUY 100 --product MIS'

export const margin: CommandSpec = {
  name: 'margin',
  summary: 'Computes the margin of an order, or of the positions in a file. Sends nothing.',
  examples: [EXAMPLE, 'order margin --from positions.json'],
  details:
    'The file of --from is one order, or the body of POST /api/v1/margin: {"positions":[{"symbol":"SBIN",\n' +
    '"exchange":"NSE","action":"BUY","quantity":100,"product":"MIS","pricetype":"MARKET"}]}',
  arguments: [orderArgument(ORDER_FIELDS, 'SYMBOL EXCHANGE ACTION QUANTITY, or - to read JSON from stdin')],
  options: optionsOf(ORDER_FIELDS),
  async run(context, input) {
    const { strategy: _, ...request } = await orderOf(ORDER_FIELDS, input, context, EXAMPLE)
    await requireListed(context, input, request)
    const several = Array.isArray(request.positions) && request.positions.length > 0
    const positions = several
      ? withPriceTypes(context, request.positions, 'Position')
      : [{ pricetype: 'MARKET', product: 'MIS', ...request }]
    const { body } = await context.apiRead('margin', { positions })
    await context.out.record({
      record: body.data,
      fields: [
        { key: 'total_margin_required', title: 'MARGIN ₹', kind: 'money' },
        { key: 'span_margin', title: 'SPAN ₹', kind: 'money' },
        { key: 'exposure_margin', title: 'EXPOSURE ₹', kind: 'money' },
      ],
      id: 'total_margin_required',
    })
    return EXIT.done
  },
}
