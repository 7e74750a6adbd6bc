import { ok } from '../common/answers.js'
import { approvalPlanData, pendingOrder, pendingOrders } from '../control/answers.js'

/** Answers of the addresses that a browser sees as pages. */

export const queuePage = ok({
  data: pendingOrders.shape.data.extend({
    decided: pendingOrder.optional().meta({ description: 'The order of the query, if there is one.' }),
    plan: approvalPlanData.optional().meta({ description: 'What the approval would send now.' }),
  }),
})
