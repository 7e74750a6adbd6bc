import type { Context } from '../../framework/context.js'
import { EXAMPLE_FLOWS } from '../../package.js'
import { readQueue } from '../approval/queue.js'

/** One step of the demonstration: its title and its command line. */
export interface Step {
  says: string
  words: readonly string[] | ((context: Context) => Promise<readonly string[]>)
  /** Input on stdin; never shown. */
  stdin?: string
}

const USER = ['--username', 'demo', '--password-stdin'] as const

/** The steps, in order. `context` belongs to the demonstration's own home. */
export function demoSteps(password: string): readonly Step[] {
  return [
    {
      says: 'Start a daemon with the embedded simulated market',
      words: ['up', '--detach', '--port', '0', '--ws-port', '0'],
    },
    {
      says: 'Create the first user and its API key',
      words: ['setup', ...USER, '--email', 'demo@example.com'],
      stdin: password,
    },
    { says: 'Sign in', words: ['login', ...USER], stdin: password },
    { says: 'Simulate orders', words: ['analyze', 'on'] },
    {
      says: 'Place an order; the simulated market fills it at once',
      words: [
        'order',
        'place',
        'SBIN',
        'NSE',
        'BUY',
        '10',
        '--product',
        'CNC',
        '--strategy',
        'demo',
        '--wait',
      ],
    },
    {
      says: 'Check a larger order without sending it',
      words: ['order', 'place', 'RELIANCE', 'NSE', 'BUY', '50', '--product', 'CNC', '--dry-run'],
    },
    { says: 'From now on, orders wait for approval', words: ['mode', 'set', 'semi_auto'] },
    {
      says: 'A bot places an order: the daemon queues it',
      words: ['order', 'place', 'INFY', 'NSE', 'BUY', '25', '--product', 'CNC', '--strategy', 'bot'],
    },
    { says: 'Show the queue', words: ['approval', 'list'] },
    { says: 'Approve it: the daemon executes it', words: approveFirst },
    { says: 'Orders', words: ['order', 'list'] },
    { says: 'Positions and their profit and loss', words: ['position', 'list'] },
    { says: 'Funds', words: ['fund', 'list'] },
    {
      says: 'Apply the example workflows',
      words: ['flow', 'apply', EXAMPLE_FLOWS],
    },
    { says: 'Workflows', words: ['flow', 'list'] },
    {
      says: 'Run one of them without sending orders',
      words: ['flow', 'run', 'basket-rebalance', '--dry-run'],
    },
  ]
}

async function approveFirst(context: Context): Promise<readonly string[]> {
  const [row] = await readQueue(context, { status: 'pending' })
  return ['approval', 'approve', String(row?.id ?? '')]
}
