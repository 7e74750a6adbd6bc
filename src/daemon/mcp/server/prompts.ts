import { RpcError } from '../calls/errors.js'

interface Prompt {
  name: string
  title: string
  description: string
  arguments: { name: string; description: string; required: boolean }[]
  text(given: Readonly<Record<string, string>>): string
}

const required = (name: string, description: string) => ({ name, description, required: true })
const optional = (name: string, description: string) => ({ name, description, required: false })

/** The longest value of an argument. */
const LONGEST = 2000

/** The usual jobs, in words that an assistant can follow. */
const PROMPTS: readonly Prompt[] = [
  {
    name: 'review_queue',
    title: 'Review my queue',
    description: 'Goes through the orders that wait for your approval.',
    arguments: [],
    text: () =>
      [
        'Review the orders that wait for my approval. Change nothing: I decide.',
        '1. Read the resource svc://queue, and the tools get_position_book and get_funds.',
        '2. For each order: get_quote of its symbol. Compare the price now with the price when it was queued, and its limit with both.',
        '3. Say what the order would do to the position, what it costs (calculate_margin), and what speaks against it.',
        '4. End with a table: id, order, your view in one sentence. I approve with `svc approval approve <id>` or reject with `svc approval reject <id>`.',
      ].join('\n'),
  },
  {
    name: 'size_option_spread',
    title: 'Size an option spread',
    description:
      'Chooses strikes and quantity of a spread within a loss that you can bear, and proposes the order.',
    arguments: [
      required('underlying', 'The underlying, such as NIFTY.'),
      required('max_loss', 'The most that the spread may lose, in rupees.'),
      optional('view', 'What you expect: up, down or sideways. Left out: up.'),
      optional('expiry_date', 'The expiry, such as 24DEC26. Left out: the next one.'),
    ],
    text: ({ underlying = '', max_loss = '', view = 'up', expiry_date = 'the next one' }) =>
      [
        `Size an option spread on ${underlying} for the view "${view}", expiry ${expiry_date}. It may lose at most ${max_loss} rupees.`,
        '1. get_option_chain with with_greeks and strike_count 10; get_trend_snapshot of the underlying.',
        '2. Choose two strikes. Compute the most it can lose and win for one lot from bid and ask, not from the last price. Quantity is in units: lots times the lot size of the chain.',
        '3. Take the most lots whose loss stays within the limit. If one lot loses more, say so and stop.',
        '4. calculate_margin of both legs, and get_funds. If the funds do not suffice, say so and stop.',
        '5. Show legs, loss, gain, break-even and margin. Call place_options_multi_order only after I agree, with a new idempotency_key. If the answer has pending_order_id, the order waits for my approval.',
      ].join('\n'),
  },
  {
    name: 'write_workflow',
    title: 'Write a workflow file and test it',
    description: 'Writes a workflow as a file, with a scenario that tests it.',
    arguments: [required('goal', 'What the workflow shall do.')],
    text: ({ goal = '' }) =>
      [
        `Write a workflow for svc that does this: ${goal}`,
        '1. Read the resources svc://docs/flow-files, svc://docs/flow-nodes and, for indicators, svc://docs/indicators. Use only nodes and fields that stand there.',
        '2. Write the file <name>.yaml, and beside it <name>.test.yaml with scenarios: one in which it acts, one in which it must not.',
        '3. Give me both files and these commands, and read their output with me:',
        '   `svc flow validate <name>.yaml`',
        '   `svc flow test <name>.yaml`',
        '4. Correct the files until both succeed. Then tell me how to store it (`svc flow apply <name>.yaml`). It stays inactive until I activate it.',
      ].join('\n'),
  },
]

export function listPrompts() {
  return PROMPTS.map(({ text: _, ...prompt }) => prompt)
}

/** @throws RpcError for an unknown prompt or wrong arguments */
export function promptOf(name: string, given: Readonly<Record<string, string>> = {}) {
  const prompt = PROMPTS.find((one) => one.name === name)
  if (!prompt) throw new RpcError(-32602, `Unknown prompt: ${name.slice(0, 100)}`)
  const missing = prompt.arguments.find((one) => one.required && !given[one.name])
  if (missing) throw new RpcError(-32602, `The prompt ${name} needs the argument ${missing.name}`)
  const long = Object.keys(given).find((one) => (given[one] ?? '').length > LONGEST)
  if (long !== undefined)
    throw new RpcError(-32602, `${long.slice(0, 100)}: longer than ${LONGEST} characters`)
  const content = { type: 'text' as const, text: prompt.text(given) }
  return { description: prompt.description, messages: [{ role: 'user' as const, content }] }
}
