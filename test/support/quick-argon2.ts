import { createRequire } from 'node:module'
import type * as argon2 from '@node-rs/argon2'

/*
 * Stands for `@node-rs/argon2` within the process, where each rig signs in and checks a key: the same hashes at the
 * smallest cost, with the cost that was asked for in their text. The e2e tests hash at the real cost.
 */
const real: typeof argon2 = createRequire(import.meta.url)('@node-rs/argon2')

const QUICK = { memoryCost: 8, timeCost: 1, parallelism: 1 }
const costIn = ({ memoryCost, timeCost, parallelism }: typeof QUICK): string =>
  `$m=${memoryCost},t=${timeCost},p=${parallelism}$`
const COST = /\$m=\d+,t=\d+,p=\d+\$/

export async function hash(secret: string, cost: typeof QUICK): Promise<string> {
  return (await real.hash(secret, QUICK)).replace(COST, costIn(cost))
}

export async function verify(hashed: string, secret: string): Promise<boolean> {
  return real.verify(hashed.replace(COST, costIn(QUICK)), secret)
}
