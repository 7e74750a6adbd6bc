import { z } from 'zod'
import { loginActivity } from '../access/answers.js'
import { message, ok, text } from '../common/answers.js'
import { approvalPlanData, pendingOrder, pendingOrders } from '../control/answers.js'
import { data, stats } from '../security/answers.js'

/** Answers of the addresses that a browser sees as pages. */

export const queuePage = ok({
  data: pendingOrders.shape.data.extend({
    decided: pendingOrder.optional().meta({ description: 'The order of the query, if there is one.' }),
    plan: approvalPlanData.optional().meta({ description: 'What the approval would send now.' }),
  }),
})

export const securityPage = data.extend({ stats, login_activity: loginActivity.shape.attempts })

export const pageList = ok({
  data: z.array(z.strictObject({ path: text, title: text, description: text })),
})

export const visitor = ok({
  needs_setup: z.boolean().meta({ description: 'Whether the account must still be created.' }),
  authenticated: z.boolean().meta({ description: 'Whether the caller has a session.' }),
})
export const pendingSignIn = ok({ message })
export const proofForm = ok({
  code_needed: z
    .boolean()
    .meta({ description: 'Whether the proof needs a code of the authenticator app too.' }),
})
export const setupForm = ok({
  needs_setup: z.boolean(),
  token_needed: z
    .boolean()
    .meta({ description: 'Whether the set-up needs X-Setup-Token from this address.' }),
  rules: z.array(text).meta({ description: 'The rules of the password, in words.' }),
})
