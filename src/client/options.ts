/** The names of the members of a type, each as `true`. */
export type Names<T> = Readonly<Record<keyof T & string, true>>

/**
 * Refuses a name that nobody reads: `idempotencykey` for `idempotencyKey` would leave the request without its key.
 * @throws TypeError that names it and the known ones
 */
export function refuseUnknown(given: object, known: Readonly<Record<string, true>>): void {
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(known, name)) continue
    throw new TypeError(`unknown option "${name}"; the known ones are ${Object.keys(known).join(', ')}`)
  }
}
