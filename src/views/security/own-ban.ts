import { isObject } from '../../client/answers/json.js'

/** The word that a person types before a ban of their own address. */
export const BAN_WORD = 'BAN'

/** Returns what a ban would do to the caller, whose own address it is; undefined for any other answer of the daemon. */
export function consequencesOfOwnBan(answer: unknown): readonly string[] | undefined {
  const { own_address, consequences } = isObject(answer) ? answer : {}
  return own_address === true && Array.isArray(consequences) ? consequences.map(String) : undefined
}
