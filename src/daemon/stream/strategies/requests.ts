import type { Follower, StrategyRooms } from './rooms.js'

const ACTIONS = ['strategy_subscribe', 'strategy_unsubscribe'] as const
export type StrategyAction = (typeof ACTIONS)[number]

/** Returns the action of a message about strategies; undefined for any other message. */
export function strategyActionOf({ action }: Readonly<Record<string, unknown>>): StrategyAction | undefined {
  return ACTIONS.find((one) => one === action)
}

/** Executes a message about strategies, and answers it. The answer to a subscription comes before its first frame. */
export async function answerStrategies(
  rooms: StrategyRooms,
  follower: Follower,
  action: StrategyAction,
  { strategy_id: id }: Readonly<Record<string, unknown>>,
): Promise<void> {
  const answer = (refusal: string | undefined) =>
    follower.send(
      JSON.stringify({
        type: action,
        status: refusal === undefined ? 'success' : 'error',
        ...(typeof id === 'number' && { strategy_id: id }),
        ...(refusal !== undefined && { message: refusal }),
      }),
    )
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1) {
    answer('strategy_id: Must be a whole number above 0.')
  } else if (action === 'strategy_unsubscribe') {
    rooms.unfollow(follower, id)
    answer(undefined)
  } else {
    await rooms.follow(follower, id, answer)
  }
}
