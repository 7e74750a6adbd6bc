import type { RouteAnswer } from '../../../client/endpoints.js'
import { rupees } from '../../../views/table/cells.js'
import type { Context } from '../../framework/context.js'
import { type Finding, fail, ok } from '../daemon/checks.js'

type Proposal = RouteAnswer<'GET /broker/check'>['data']['proposals'][number]
export type LimitName = Proposal['rule']

interface LimitFacts {
  risk: Pick<RouteAnswer<'GET /risk'>['data'], 'rules' | 'defaults'>
  check: Pick<RouteAnswer<'GET /broker/check'>['data'], 'proposals'>
}

/** The words of a question, and what follows the value. */
const LIMITS: Readonly<Record<LimitName, { question: string; shown(value: number): string }>> = {
  max_order_value: { question: 'Largest value of one order, in rupees', shown: rupees },
  max_day_loss: { question: 'Loss of a day at which new orders stop, in rupees', shown: rupees },
  price_band_percent: {
    question: 'Largest distance of a price from the last price, in percent',
    shown: (value) => `${value} %`,
  },
}

/** Returns whether a person has set a limit: the default of one is so high that it only catches typing mistakes. */
function isSet({ risk: { defaults, rules } }: LimitFacts, rule: LimitName): boolean {
  return rules[rule] !== null && rules[rule] !== defaults[rule]
}

export function limitFinding(facts: LimitFacts, rule: LimitName): Finding {
  const value = facts.risk.rules[rule]
  if (isSet(facts, rule)) return ok(LIMITS[rule].shown(Number(value)))
  const proposal = facts.check.proposals.find((each) => each.rule === rule)
  const proposed = proposal ? `; proposed: ${LIMITS[rule].shown(proposal.value)}, ${proposal.reason}` : ''
  return fail(`not set${proposed}`, `svc risk set ${rule}=${proposal?.value ?? 'VALUE'}`)
}

/**
 * Asks the person for each limit that is not set: Enter takes what is proposed, a number is taken instead.
 * @returns the limits to store; empty if all are set, or nothing can be proposed yet
 */
export async function askedLimits(
  context: Context,
  facts: LimitFacts,
): Promise<Partial<Record<LimitName, number>>> {
  const missing = facts.check.proposals.filter(({ rule }) => !isSet(facts, rule))
  const limits: Partial<Record<LimitName, number>> = {}
  if (missing.length > 0) context.out.note('Limits of the first day. Enter accepts; or type another number.')
  for (const proposal of missing) limits[proposal.rule] = await askedLimit(context, proposal)
  return limits
}

async function askedLimit({ io }: Context, { reason, rule, value }: Proposal): Promise<number> {
  const { question, shown } = LIMITS[rule]
  for (;;) {
    const prompt = `${question} [${value}] (${shown(value)}: ${reason}): `
    const typed = (await io.stdin.readLine(prompt)).trim().replaceAll(',', '')
    if (typed === '') return value
    const number = Number(typed)
    if (Number.isFinite(number) && number > 0) return number
    io.stderr.write(`${rule} must be a number above 0. To trade without it later: svc risk set ${rule}=off\n`)
  }
}
