import { z } from 'zod'
import { fields } from '../../../core/validation/index.js'
import { explain } from '../../why/explain.js'
import { SUBJECT_KINDS } from '../../why/find.js'
import { ENTRY_KINDS } from '../../why/timeline.js'
import { count, instant, ok, text } from '../common/answers.js'
import { keyed } from '../running.js'

const nullable = text.nullable()

const whyPayload = z.strictObject({
  id: fields.text(255).meta({
    description:
      'An order reference, an order or trigger id, a client_order_id, a request id, or the number of an approval, webhook call, run or event. kind:id names one kind, as approval:12.',
  }),
})

const entry = z.strictObject({
  at: instant,
  kind: z.enum(ENTRY_KINDS),
  id: text.meta({ description: 'The id of what the entry is about.' }),
  what: text,
  by: nullable,
  mode: z.enum(['live', 'analyze']).nullable(),
  rule: nullable.meta({ description: 'The rule or the error code that decided.' }),
  state: nullable.meta({ description: 'The state that it led to.' }),
  words: nullable.meta({ description: 'The words of the broker, or of the refusal.' }),
  audit: count.nullable().meta({ description: 'The number of its row in the audit trail.' }),
})

const explanation = ok({
  data: z.strictObject({
    schema: z.literal('why/1'),
    id: text,
    kind: z.enum(SUBJECT_KINDS),
    also: z.array(text).meta({ description: 'Other things with the same id, as kind:id.' }),
    state: nullable.meta({
      description:
        'The state now of its order, otherwise its own; of several orders how many have each: 18 filled, 2 rejected.',
    }),
    entries: z.array(entry),
    more: count.meta({ description: 'The orders whose entries are left out: their own ids explain them.' }),
  }),
})

/** What became of anything that has an id. */
export const WHY_OPERATIONS = {
  'POST /api/v1/why': keyed('Orders', 'api')(
    'Returns everything that is recorded about an order, an approval, a request or a signal, from the request to the fill.',
    {
      body: whyPayload,
      example: { id: '26112045901458' },
      answer: explanation,
      errors: ['not_found'],
      latencyKind: 'STATUS',
      tool: {
        name: 'explain_why',
        title: 'Explain what became of an order or request',
        scope: 'read:account',
        toolset: 'account',
        more: 'It also explains what was refused and never stored, by the request id.',
      },
      run: async (service, { body: { id } }, { username }) => {
        const told = await explain(service, username, id)
        return { status: 'success', data: { schema: 'why/1', id, ...told } }
      },
    },
  ),
}
