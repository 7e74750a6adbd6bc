import { cancelGttPayload, modifyGttPayload, placeGttPayload } from '../gtt/schema.js'
import { calls, queueable } from './execution.js'
import type { OrderOperation } from './order-operation.js'

/** Requests for orders that wait for a trigger price. */
export const GTT = {
  placegttorder: {
    act: 'gtt.place',
    latencyKind: 'GTT_PLACE',
    queueable: true,
    executes: queueable(
      'gtt',
      calls({
        payload: placeGttPayload,
        run: ({ gtts }, payload, context) => gtts.place(payload, context),
      }),
    ),
    failureTopic: 'gtt.failed',
    hasValue: true,
    failedTitle: 'GTT Order Failed',
  },
  modifygttorder: {
    act: 'gtt.modify',
    latencyKind: 'GTT_MODIFY',
    queueable: false,
    executes: calls({
      payload: modifyGttPayload,
      run: ({ gtts }, payload, context) => gtts.modify(payload, context),
    }),
    blocked: 'Modify GTT order is not allowed in Semi-Auto mode. Switch to Auto mode.',
    lowersRisk: 'by its values',
    failureTopic: 'gtt.modify_failed',
    hasValue: true,
    failedTitle: 'GTT Modification Failed',
  },
  cancelgttorder: {
    act: 'gtt.cancel',
    latencyKind: 'GTT_CANCEL',
    queueable: false,
    executes: calls({
      payload: cancelGttPayload,
      run: ({ gtts }, payload, context) => gtts.cancel(payload, context),
    }),
    blocked: 'Cancel GTT order is not allowed in Semi-Auto mode. Switch to Auto mode.',
    lowersRisk: 'always',
    failureTopic: 'gtt.cancel_failed',
    cancels: true,
    failedTitle: 'GTT Cancellation Failed',
  },
} as const satisfies Readonly<Record<string, OrderOperation>>
