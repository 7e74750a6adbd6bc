import type { CaseId } from './promises.js'

/** The cases that a broker cannot keep, and why. */
export type Gaps = Readonly<Partial<Record<CaseId, string>>>

const NO_WIRE = 'it runs in the process: nothing is sent'
const NO_GTT = 'the broker keeps no GTTs'
const FIRED = 'what it shows of a GTT whose order was refused is not documented'

/** The declared gaps of every plugin that runs the suite. */
export const GAPS = {
  simulated: {
    '27': 'every product of the simulated exchange can be opened here',
    '35': 'it has no call limits',
    '36': 'its sessions do not end',
    '37': NO_WIRE,
    '38': NO_WIRE,
    '39': 'it has no secrets',
    '40': NO_WIRE,
    '42': 'its clock is ours',
    '46': NO_WIRE,
    '47': 'an order of a GTT that it refuses has an id, so the GTT is triggered and its order rejected',
  },
  zerodha: {
    '38': 'the address of its feed works for every dial',
  },
  dhan: {
    '38': 'the address of its feed works for every dial',
    '47': FIRED,
  },
  upstox: {
    '29': 'its multiple GTTs open a position first: two exits of one cannot be placed',
    '47': FIRED,
  },
  angel: {
    '24': 'a change names the variety of the order, so a plain order cannot become a stop order or back; every other change is made',
    '29': 'it has no OCO: a rule has one trigger',
    '30': 'a rule does not say which order it sent',
    '38': 'the address of its feed works for every dial',
    '47': FIRED,
  },
  invented: {
    '28': NO_GTT,
    '29': NO_GTT,
    '30': NO_GTT,
    '31': NO_GTT,
    '32': NO_GTT,
    '43': NO_GTT,
    '47': NO_GTT,
  },
} as const satisfies Readonly<Record<string, Gaps>>

export type TestedPlugin = keyof typeof GAPS
